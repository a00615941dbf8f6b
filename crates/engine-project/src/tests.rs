//! What holds for every walk, on real folders.

mod git;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use engine_model::{Language, SkipReason, SourceText, Zone};
use tempfile::TempDir;

use super::*;

/// Writes the files of one string in which `//- path` opens a file.
fn project(text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), text);
    folder
}

fn write(folder: &Path, text: &str) {
    for part in text.split("//- ").skip(1) {
        let (path, content) = part.split_once('\n').unwrap_or((part, ""));
        put(folder, path, content.as_bytes());
    }
}

fn put(folder: &Path, path: &str, content: &[u8]) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn walk_with(folder: &Path, options: &Options) -> Walked<String> {
    let root = open(folder).unwrap();
    read(&root, options, &|| false, &|file| file.path.to_string())
}

fn walk(folder: &Path) -> Walked<String> {
    walk_with(folder, &Options::default())
}

fn paths<T>(walked: &Walked<T>) -> Vec<&str> {
    walked.files.iter().map(|(info, _)| info.path.as_str()).collect()
}

fn skipped<T>(walked: &Walked<T>) -> BTreeMap<&str, SkipReason> {
    walked
        .skipped
        .iter()
        .map(|record| (record.path.as_str(), record.reason))
        .collect()
}

#[track_caller]
fn check(text: &str, read: &[&str], left_out: &[(&str, SkipReason)]) {
    let folder = project(text);
    let walked = walk(folder.path());
    assert_eq!(paths(&walked), read);
    assert_eq!(skipped(&walked), left_out.iter().copied().collect());
    assert_eq!(walked.skipped.len(), left_out.len(), "one record for each omission");
}

#[test]
fn every_file_goes_through_the_reader_and_comes_back_in_the_order_of_paths() {
    let folder =
        project("//- b.py\nx = 1\n//- a/z.ts\n//- a-b.rs\n//- .github/workflows/ci.yml\non: push\n//- .mcp.json\n{}\n");
    let walked = walk(folder.path());
    assert_eq!(
        paths(&walked),
        [".github/workflows/ci.yml", ".mcp.json", "a-b.rs", "a/z.ts", "b.py"]
    );
    assert!(walked.files.iter().all(|(info, read)| info.path == *read));
    assert!(walked.skipped.is_empty());
    let (info, _) = &walked.files[4];
    assert_eq!(
        (info.size, info.language, info.zone),
        (6, Language::Python, Zone::Product)
    );
    assert_eq!(info.digest, *blake3::hash(b"x = 1\n").as_bytes());
    assert_eq!(walked.bytes, 9 + 3 + 6);
    assert!(!walked.cancelled);
}

#[test]
fn ignore_files_nest_and_negate_and_need_no_repository() {
    check(
        "//- .gitignore\n*.log\n/only-at-root.txt\nlogs/\ndata/*\n!data/keep.csv\n\
         //- a.log\n//- only-at-root.txt\n//- sub/only-at-root.txt\n//- logs/x.py\n//- sub/logs/y.py\n\
         //- data/a.csv\n//- data/keep.csv\n\
         //- sub/.gitignore\n!important.log\nlocal.py\n\
         //- sub/important.log\n//- sub/other.log\n//- sub/local.py\n//- local.py\n",
        &[
            ".gitignore",
            "data/keep.csv",
            "local.py",
            "sub/.gitignore",
            "sub/important.log",
            "sub/only-at-root.txt",
        ],
        &[
            ("a.log", SkipReason::Ignored),
            ("data/a.csv", SkipReason::Ignored),
            ("logs", SkipReason::Ignored),
            ("only-at-root.txt", SkipReason::Ignored),
            ("sub/local.py", SkipReason::Ignored),
            ("sub/logs", SkipReason::Ignored),
            ("sub/other.log", SkipReason::Ignored),
        ],
    );
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_do_not_hide_rules() {
    check(
        "//- .gitignore\n\u{FEFF}a.py\r\nb.py\r\n//- a.py\n//- b.py\n//- c.py\n",
        &[".gitignore", "c.py"],
        &[("a.py", SkipReason::Ignored), ("b.py", SkipReason::Ignored)],
    );
}

#[test]
fn the_own_ignore_file_outranks_that_of_git_and_exclude_is_followed() {
    check(
        "//- .gitignore\na.py\n//- .ignore\n!a.py\nb.py\n//- .git/info/exclude\nc.py\nd.py\n//- a.py\n//- b.py\n//- c.py\n\
         //- sub/.gitignore\n!d.py\n//- sub/d.py\n//- e.py\n",
        &[".gitignore", ".ignore", "a.py", "e.py", "sub/.gitignore", "sub/d.py"],
        &[
            (".git", SkipReason::VersionControl),
            ("b.py", SkipReason::Ignored),
            ("c.py", SkipReason::Ignored),
        ],
    );
}

#[test]
fn rules_end_where_another_repository_begins() {
    check(
        "//- .gitignore\n*.txt\n//- a.txt\n//- module/.git\ngitdir: ../.git/modules/module\n//- module/a.txt\n",
        &[".gitignore", "module/a.txt"],
        &[
            ("a.txt", SkipReason::Ignored),
            ("module/.git", SkipReason::VersionControl),
        ],
    );
}

#[test]
fn ignore_files_above_the_root_do_not_count() {
    let folder = project("//- .gitignore\n*.py\n//- .git/config\n//- inner/a.py\n");
    assert_eq!(paths(&walk(&folder.path().join("inner"))), ["a.py"]);
}

#[test]
fn rules_can_be_left_unfollowed() {
    let folder = project("//- .gitignore\n*.py\n//- a.py\n");
    let options = Options {
        follow_ignore: false,
        ..Options::default()
    };
    assert_eq!(paths(&walk_with(folder.path(), &options)), [".gitignore", "a.py"]);
}

#[test]
fn a_virtual_environment_is_told_by_its_mark_and_not_by_its_name() {
    check(
        "//- my-tools/pyvenv.cfg\nhome = /usr\n//- my-tools/bin/activate\n//- my-tools/lib/x.py\n//- venv/app.py\n\
         //- src/pyvenv.cfg\n//- conda/conda-meta/history\n//- conda/lib/y.py\n//- .gitignore\nhidden/\n\
         //- hidden/pyvenv.cfg\n//- hidden/bin/python.py\n//- .tox/py3/x.py\n",
        &[".gitignore", "src/pyvenv.cfg", "venv/app.py"],
        &[
            (".tox", SkipReason::VirtualEnvironment),
            ("conda", SkipReason::VirtualEnvironment),
            ("hidden", SkipReason::VirtualEnvironment),
            ("my-tools", SkipReason::VirtualEnvironment),
        ],
    );
}

#[test]
fn installed_dependencies_are_one_record_each_and_vendor_needs_its_marks() {
    check(
        "//- package.json\n{}\n//- node_modules/a/index.js\n//- web/node_modules/b/index.js\n\
         //- go/go.mod\nmodule m\n//- go/vendor/modules.txt\n//- go/vendor/m/x.go\n\
         //- php/composer.json\n{}\n//- php/vendor/autoload.php\n//- php/vendor/composer/installed.json\n\
         //- rb/Gemfile\n//- rb/vendor/bundle/ruby/3.3/x.rb\n//- rb/vendor/own.rb\n\
         //- lib/vendor/own.py\n//- ios/Podfile\n//- ios/Pods/a.m\n//- lib/Pods/a.py\n\
         //- py/site-packages/x.py\n//- .yarn/cache/a.txt\n//- .yarn/releases/yarn.cjs\n",
        &[
            ".yarn/releases/yarn.cjs",
            "go/go.mod",
            "ios/Podfile",
            "lib/Pods/a.py",
            "lib/vendor/own.py",
            "package.json",
            "php/composer.json",
            "rb/Gemfile",
            "rb/vendor/own.rb",
        ],
        &[
            (".yarn/cache", SkipReason::DependencyFolder),
            ("go/vendor", SkipReason::DependencyFolder),
            ("ios/Pods", SkipReason::DependencyFolder),
            ("node_modules", SkipReason::DependencyFolder),
            ("php/vendor", SkipReason::DependencyFolder),
            ("py/site-packages", SkipReason::DependencyFolder),
            ("rb/vendor/bundle", SkipReason::DependencyFolder),
            ("web/node_modules", SkipReason::DependencyFolder),
        ],
    );
}

#[test]
fn what_pip_installed_into_a_folder_is_told_by_its_records() {
    check(
        "//- fn/handler.py\n//- fn/core/own.py\n//- fn/sqlalchemy/x.py\n//- fn/SQLAlchemy-2.0.37.dist-info/METADATA\n\
         //- fn/jose/x.py\n//- fn/python_jose-3.3.0.dist-info/METADATA\n//- fn/yaml/x.py\n//- fn/PyYAML-6.0.2.dist-info/RECORD\n\
         //- fn/langchain_core/x.py\n//- fn/langchain_core-0.3.0.dist-info/RECORD\n//- own/yaml/own.py\n",
        &["fn/core/own.py", "fn/handler.py", "own/yaml/own.py"],
        &[
            ("fn/PyYAML-6.0.2.dist-info", SkipReason::DependencyFolder),
            ("fn/SQLAlchemy-2.0.37.dist-info", SkipReason::DependencyFolder),
            ("fn/jose", SkipReason::DependencyFolder),
            ("fn/langchain_core", SkipReason::DependencyFolder),
            ("fn/langchain_core-0.3.0.dist-info", SkipReason::DependencyFolder),
            ("fn/python_jose-3.3.0.dist-info", SkipReason::DependencyFolder),
            ("fn/sqlalchemy", SkipReason::DependencyFolder),
            ("fn/yaml", SkipReason::DependencyFolder),
        ],
    );
}

#[test]
fn build_output_needs_a_mark_a_sibling_or_a_rule() {
    check(
        "//- rs/Cargo.toml\n//- rs/target/debug/x.rs\n//- cached/CACHEDIR.TAG\nSignature: 8a477f597d28d172789f06886806bc55\n\
         //- cached/y.py\n//- fake/CACHEDIR.TAG\nnothing\n//- fake/z.py\n//- target/own.py\n//- dist/own.js\n//- build/own.py\n\
         //- js/.gitignore\ndist\n//- js/dist/out.js\n//- net/app.csproj\n//- net/bin/a.cs\n//- net/obj/a.cs\n//- bin/tool.py\n\
         //- kt/build.gradle.kts\n//- kt/build/x.kt\n//- web/.next/a.js\n//- py/__pycache__/x.py\n\
         //- keep/pom.xml\n//- keep/.gitignore\n!target\n//- keep/target/x.java\n",
        &[
            "bin/tool.py",
            "build/own.py",
            "dist/own.js",
            "fake/CACHEDIR.TAG",
            "fake/z.py",
            "js/.gitignore",
            "keep/.gitignore",
            "keep/pom.xml",
            "keep/target/x.java",
            "kt/build.gradle.kts",
            "net/app.csproj",
            "rs/Cargo.toml",
            "target/own.py",
        ],
        &[
            ("cached", SkipReason::BuildOutput),
            ("js/dist", SkipReason::BuildOutput),
            ("kt/build", SkipReason::BuildOutput),
            ("net/bin", SkipReason::BuildOutput),
            ("net/obj", SkipReason::BuildOutput),
            ("py/__pycache__", SkipReason::BuildOutput),
            ("rs/target", SkipReason::BuildOutput),
            ("web/.next", SkipReason::BuildOutput),
        ],
    );
}

#[test]
fn the_state_of_the_engine_is_left_out_but_its_documents_are_read() {
    check(
        "//- .gitignore\n.compliance/\n//- .compliance/state.db\n//- .compliance/passports/a.json\n\
         //- .compliance/documents/policy/ai.md\n# Policy\n//- .hg/x\n//- .svn/x\n",
        &[".compliance/documents/policy/ai.md", ".gitignore"],
        &[
            (".compliance", SkipReason::EngineState),
            (".hg", SkipReason::VersionControl),
            (".svn", SkipReason::VersionControl),
        ],
    );
}

#[test]
fn a_lockfile_beside_its_manifest_is_read_though_a_rule_ignores_it() {
    check(
        "//- .gitignore\npackage-lock.json\n*.lock\n//- web/package.json\n{}\n//- web/package-lock.json\n{}\n//- alone/package-lock.json\n{}\n\
         //- alone/my.lock\nx\n",
        &[".gitignore", "web/package-lock.json", "web/package.json"],
        &[
            ("alone/my.lock", SkipReason::Ignored),
            ("alone/package-lock.json", SkipReason::Ignored),
        ],
    );
}

#[test]
fn ignored_secrets_are_seen_by_name_and_never_read() {
    let folder = project(
        "//- .gitignore\n.env*\n*.pem\nbuild.log\n//- .env\nKEY=1\n//- app/.env.local\nKEY=2\n//- tls/a.pem\n//- build.log\n//- .git/HEAD\nref\n",
    );
    let root = open(folder.path()).unwrap();
    let walked = read(&root, &Options::default(), &|| false, &|file| file.bytes.len());
    assert_eq!(paths(&walked), [".gitignore"]);
    let names: Vec<_> = walked.ignored_secrets.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(names, [".env", "app/.env.local", "tls/a.pem"]);
    assert_eq!(skipped(&walked).len(), 5);
}

#[test]
fn ignored_environment_values_are_read_where_no_repository_keeps_them_out() {
    let folder = project("//- .gitignore\n.env*\n*.pem\n//- .env\nKEY=1\n//- app/.env.local\nKEY=2\n//- tls/a.pem\n");
    let walked = walk(folder.path());
    assert_eq!(paths(&walked), [".env", ".gitignore", "app/.env.local"]);
    assert_eq!(walked.ignored_secrets.len(), 3);
}

#[test]
fn what_git_tracks_is_read_whatever_the_rules_say() {
    let folder = project(
        "//- .gitignore\n.env\nkey.txt\nnotes.txt\n//- .env\nKEY=1\n//- key.txt\nk\n//- notes.txt\nn\n//- part/.env\nKEY=2\n//- .git/HEAD\nref\n",
    );
    put(
        folder.path(),
        ".git/index",
        &tracked::tests::index(&[".env", ".gitignore", "key.txt"]),
    );
    let walked = walk(folder.path());
    assert_eq!(paths(&walked), [".env", ".gitignore", "key.txt"]);
    let names: Vec<_> = walked.ignored_secrets.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(names, ["part/.env"]);
}

#[test]
fn a_file_of_secrets_that_no_rule_ignores_is_read() {
    check("//- .env\nKEY=1\n", &[".env"], &[]);
}

#[cfg(unix)]
#[test]
fn links_are_recorded_and_never_followed() {
    use std::os::unix::fs::symlink;
    let outside = project("//- secret.py\n");
    let folder = project("//- a/real.py\n");
    symlink(outside.path(), folder.path().join("out")).unwrap();
    symlink(outside.path().join("secret.py"), folder.path().join("out.py")).unwrap();
    symlink("a/real.py", folder.path().join("in.py")).unwrap();
    symlink("..", folder.path().join("a/loop")).unwrap();
    symlink("nowhere", folder.path().join("dangling")).unwrap();
    let walked = walk(folder.path());
    assert_eq!(paths(&walked), ["a/real.py"]);
    let links = ["a/loop", "dangling", "in.py", "out", "out.py"];
    assert_eq!(
        skipped(&walked),
        links.map(|path| (path, SkipReason::SymbolicLink)).into_iter().collect()
    );
}

#[cfg(unix)]
#[test]
fn pipes_and_sockets_are_never_opened() {
    let folder = project("//- a.py\n");
    let made = std::process::Command::new("mkfifo")
        .arg(folder.path().join("pipe.py"))
        .status()
        .unwrap();
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("s.py")).unwrap();
    let walked = walk(folder.path());
    assert_eq!(paths(&walked), ["a.py"]);
    assert_eq!(
        skipped(&walked),
        BTreeMap::from([("pipe.py", SkipReason::NotRegular), ("s.py", SkipReason::NotRegular)])
    );
    // A pipe that takes a file's place after the listing neither blocks nor is read.
    let root = open(folder.path()).unwrap();
    assert!(matches!(
        disk::read(&root.handle, "pipe.py", 10),
        Ok(disk::Content::NotRegular)
    ));
}

#[cfg(unix)]
#[test]
fn what_may_not_be_read_is_recorded() {
    use std::os::unix::fs::PermissionsExt;
    let folder = project("//- closed/a.py\n//- b.py\n//- c.py\n");
    let close = |path: &str, mode| {
        fs::set_permissions(folder.path().join(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    close("closed", 0o000);
    close("b.py", 0o000);
    let enforced = fs::read(folder.path().join("b.py")).is_err();
    let walked = walk(folder.path());
    close("closed", 0o755);
    // The superuser may read everything, so that there is nothing to see for it.
    if enforced {
        assert_eq!(paths(&walked), ["c.py"]);
        assert_eq!(
            skipped(&walked),
            BTreeMap::from([("b.py", SkipReason::Unreadable), ("closed", SkipReason::Unreadable)])
        );
    } else {
        assert_eq!(paths(&walked), ["b.py", "c.py", "closed/a.py"]);
    }
}

#[test]
fn a_file_over_the_limit_is_not_read_and_one_at_the_limit_is() {
    let folder = project("");
    put(folder.path(), "at.py", &[b'x'; 100]);
    put(folder.path(), "over.py", &[b'x'; 101]);
    let sparse = fs::File::create(folder.path().join("sparse.bin")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    let limits = Limits {
        file_bytes_max: 100,
        ..Limits::default()
    };
    let walked = walk_with(
        folder.path(),
        &Options {
            limits,
            ..Options::default()
        },
    );
    assert_eq!(paths(&walked), ["at.py"]);
    assert_eq!(
        skipped(&walked),
        BTreeMap::from([("over.py", SkipReason::TooLarge), ("sparse.bin", SkipReason::TooLarge)])
    );
    assert_eq!(walked.skipped[1].bytes, Some(1 << 40));
}

#[test]
fn the_limit_for_the_tree_always_takes_the_same_files() {
    let folder = project("//- a.py\n12345\n//- b.py\n12345\n//- c.py\n\n");
    let limits = Limits {
        tree_bytes_max: 11,
        ..Limits::default()
    };
    for _ in 0..3 {
        let walked = walk_with(
            folder.path(),
            &Options {
                limits,
                ..Options::default()
            },
        );
        assert_eq!(paths(&walked), ["a.py"]);
        assert_eq!(
            skipped(&walked),
            BTreeMap::from([("b.py", SkipReason::TreeLimit), ("c.py", SkipReason::TreeLimit)])
        );
    }
}

#[cfg(unix)]
#[test]
fn two_thousand_nested_folders_end_at_the_limit_without_exhausting_the_stack() {
    let folder = project("//- a.py\n");
    let mut at = rustix::fs::open(folder.path(), rustix::fs::OFlags::RDONLY, rustix::fs::Mode::empty()).unwrap();
    for _ in 0..2_000 {
        rustix::fs::mkdirat(&at, "deeply", rustix::fs::Mode::RWXU).unwrap();
        at = rustix::fs::openat(&at, "deeply", rustix::fs::OFlags::RDONLY, rustix::fs::Mode::empty()).unwrap();
    }
    let walked = walk(folder.path());
    assert_eq!(paths(&walked), ["a.py"]);
    assert_eq!(walked.skipped.len(), 1);
    assert_eq!(walked.skipped[0].reason, SkipReason::TooDeep);
    assert_eq!(walked.skipped[0].path.split('/').count(), 257);
    // Beyond the limit of the system for one path, the walk still ends, with a record.
    let limits = Limits {
        depth_max: usize::MAX,
        ..Limits::default()
    };
    let walked = walk_with(
        folder.path(),
        &Options {
            limits,
            ..Options::default()
        },
    );
    assert_eq!(walked.skipped.len(), 1);
    assert_eq!(walked.skipped[0].reason, SkipReason::Unreadable);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_unicode_are_recorded() {
    use std::os::unix::ffi::OsStrExt;
    let folder = project("//- a.py\n");
    let name = std::ffi::OsStr::from_bytes(b"b\xFF.py");
    fs::write(folder.path().join(name), "x").unwrap();
    let walked = walk(folder.path());
    assert_eq!(paths(&walked), ["a.py"]);
    assert_eq!(
        skipped(&walked),
        BTreeMap::from([("b\u{FFFD}.py", SkipReason::NameEncoding)])
    );
}

#[test]
fn a_file_that_vanishes_is_recorded() {
    let folder = project("//- a.py\n//- b.py\n");
    let root = open(folder.path()).unwrap();
    let gone = folder.path().join("b.py");
    let one_at_a_time = Limits {
        window_bytes_max: 1,
        ..Limits::default()
    };
    let options = Options {
        limits: one_at_a_time,
        ..Options::default()
    };
    put(folder.path(), "a.py", b"xx");
    put(folder.path(), "b.py", b"xx");
    let walked = read(&root, &options, &|| false, &|_| fs::remove_file(&gone).unwrap());
    assert_eq!(paths(&walked), ["a.py"]);
    assert_eq!(skipped(&walked), BTreeMap::from([("b.py", SkipReason::Vanished)]));
}

#[test]
fn no_more_than_the_window_is_held() {
    let folder = project("");
    for index in 0..64 {
        put(folder.path(), &format!("{index:02}.py"), &[b'x'; 1000]);
    }
    let (held, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let root = open(folder.path()).unwrap();
    let limits = Limits {
        window_bytes_max: 3000,
        ..Limits::default()
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
    let walked = pool.install(|| {
        read(
            &root,
            &Options {
                limits,
                ..Options::default()
            },
            &|| false,
            &|file| {
                let now = held.fetch_add(file.bytes.len(), Ordering::SeqCst) + file.bytes.len();
                most.fetch_max(now, Ordering::SeqCst);
                // A reader that works in parallel itself must not hang.
                rayon::join(std::thread::yield_now, std::thread::yield_now);
                held.fetch_sub(file.bytes.len(), Ordering::SeqCst);
            },
        )
    });
    assert_eq!(walked.files.len(), 64);
    assert!(most.load(Ordering::SeqCst) <= 3000);
}

#[test]
fn the_same_tree_gives_the_same_result_every_time_and_on_another_path() {
    let text: String = (0..200)
        .map(|index| format!("//- d{}/s{}/f{index}.py\nx = {index}\n", index % 7, index % 3))
        .chain(["//- .gitignore\nf1*\n".to_owned()])
        .collect();
    let (one, two) = (
        project(&text),
        tempfile::Builder::new().prefix(".node_modules").tempdir().unwrap(),
    );
    let other = two.path().join("target/deep");
    write(&other, &text);
    let first = walk(one.path());
    assert!(!first.skipped.is_empty());
    for _ in 0..10 {
        let again = walk(one.path());
        assert_eq!((&again.files, &again.skipped), (&first.files, &first.skipped));
    }
    let moved = walk(&other);
    assert_eq!((&moved.files, &moved.skipped), (&first.files, &first.skipped));
}

#[test]
fn a_walk_writes_nothing() {
    fn state(folder: &Path) -> BTreeMap<std::path::PathBuf, (u64, SystemTime)> {
        let mut all = BTreeMap::new();
        let mut open = vec![folder.to_path_buf()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let entry = entry.unwrap();
                let metadata = entry.metadata().unwrap();
                all.insert(entry.path(), (metadata.len(), metadata.modified().unwrap()));
                if metadata.is_dir() {
                    open.push(entry.path());
                }
            }
        }
        all
    }
    let folder = project("//- a.py\nx\n//- b/c.py\n//- .gitignore\nd\n//- d/e\n");
    let before = state(folder.path());
    walk(folder.path());
    assert_eq!(state(folder.path()), before);
}

#[test]
fn a_cancelled_walk_says_so() {
    let folder = project("//- a.py\n//- b.py\n");
    let root = open(folder.path()).unwrap();
    let at_once = read(&root, &Options::default(), &|| true, &|_| ());
    assert!(at_once.cancelled && at_once.files.is_empty());
    let asked = AtomicUsize::new(0);
    let later = read(
        &root,
        &Options::default(),
        &|| asked.fetch_add(1, Ordering::SeqCst) > 1,
        &|_| (),
    );
    assert!(later.cancelled);
    assert_eq!(later.files.len(), 1);
}

#[test]
fn a_tree_gives_only_what_the_walk_saw() {
    let folder = project(
        "//- a/b.py\nx = 1\n//- c.py\nx\n//- gone.py\n//- grown.py\nx\n//- .gitignore\nhidden.py\n//- hidden.py\n",
    );
    let walked = walk(folder.path());
    let tree = Tree::new(&walked);
    assert_eq!(tree.file("a/b.py").unwrap().text().unwrap(), "x = 1\n");
    for path in ["../c.py", "a/../c.py", "/etc/passwd", "", "a", "hidden.py", "./c.py"] {
        assert!(tree.file(path).is_none(), "{path}");
    }
    fs::remove_file(folder.path().join("gone.py")).unwrap();
    put(folder.path(), "c.py", b"y\n");
    put(folder.path(), "grown.py", b"x\nx\n");
    for path in ["gone.py", "c.py", "grown.py"] {
        assert!(tree.file(path).is_none(), "{path}");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_was_swapped_for_a_link_is_not_followed() {
    let outside = project("//- b.py\nx = 1\n");
    let folder = project("//- a/b.py\nx = 1\n");
    let tree = Tree::from(&walk(folder.path()));
    fs::remove_dir_all(folder.path().join("a")).unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("a")).unwrap();
    assert!(tree.file("a/b.py").is_none());
    let root = open(folder.path()).unwrap();
    for path in ["a/b.py", "../x", "/etc/passwd"] {
        assert!(disk::open_file(&root.handle, path).is_err(), "{path}");
        assert!(
            disk::open_by_parts(&root.handle, path).is_err(),
            "{path} on older kernels"
        );
    }
}

#[test]
fn a_root_must_be_a_folder_that_is_there() {
    let folder = project("//- a.py\n");
    let message = |path: &Path| open(path).unwrap_err().to_string();
    assert!(matches!(
        open(&folder.path().join("none")),
        Err(OpenProjectError::NotFound { .. })
    ));
    assert!(message(&folder.path().join("none")).contains("no folder found at"));
    assert!(matches!(
        open(&folder.path().join("a.py")),
        Err(OpenProjectError::NotADirectory { .. })
    ));
    assert!(message(&folder.path().join("a.py")).contains("is not a folder"));
    assert!(matches!(
        open(&folder.path().join("a.py/b")),
        Err(OpenProjectError::NotADirectory { .. })
    ));
    assert!(matches!(open(Path::new("")), Err(OpenProjectError::NotFound { .. })));
    assert!(open(&folder.path().join("./../").join(folder.path().file_name().unwrap())).is_ok());
}

#[test]
fn an_empty_folder_is_a_project_without_files() {
    let folder = project("");
    let walked = walk(folder.path());
    assert!(walked.files.is_empty() && walked.skipped.is_empty());
    assert_eq!(walked.bytes, 0);
}

#[test]
fn a_rule_without_a_pattern_keeps_and_ignores_nothing() {
    check(
        "//- .gitignore\nscratch/\n!\n! \n//- scratch/bot.py\n//- a.py\n",
        &[".gitignore", "a.py"],
        &[("scratch", SkipReason::Ignored)],
    );
}

#[test]
fn what_git_tracks_below_an_ignored_folder_is_read() {
    let folder = project(
        "//- .gitignore\nscratch/\ndist\n//- scratch/deep/bot.py\n//- scratch/deep/other.py\n//- scratch/x/y.py\n//- dist/app.js\n\
         //- dist/rest.js\n//- node_modules/a/index.js\n//- .git/HEAD\nref\n",
    );
    let tracked = ["dist/app.js", "node_modules/a/index.js", "scratch/deep/bot.py"];
    put(folder.path(), ".git/index", &tracked::tests::index(&tracked));
    let walked = walk(folder.path());
    assert_eq!(paths(&walked), [".gitignore", "dist/app.js", "scratch/deep/bot.py"]);
    assert_eq!(
        skipped(&walked),
        BTreeMap::from([
            (".git", SkipReason::VersionControl),
            ("dist", SkipReason::Ignored),
            ("node_modules", SkipReason::DependencyFolder),
            ("scratch", SkipReason::Ignored),
        ])
    );
}

#[test]
fn a_git_file_that_points_at_foreign_data_gives_no_rules() {
    let foreign = project("//- HEAD\nref\n//- info/exclude\n*.py\n");
    let pointer = format!("gitdir: {}\n", foreign.path().display());
    let folder = project("//- a.py\n");
    put(folder.path(), ".git", pointer.as_bytes());
    assert_eq!(paths(&walk(folder.path())), ["a.py"]);
}

#[test]
fn braces_and_tabs_are_letters_of_a_rule() {
    check(
        "//- .gitignore\n*.{py,js}\nb.py\t\n//- a.py\n//- b.py\n//- c.{py,js}\n",
        &[".gitignore", "a.py", "b.py"],
        &[("c.{py,js}", SkipReason::Ignored)],
    );
}

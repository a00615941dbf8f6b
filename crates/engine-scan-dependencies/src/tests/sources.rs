//! Packages that come from a repository or were built for a platform, by their package URLs.

use engine_model::fixture;

use super::{check, joined};

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// The package URLs of a tree, in their order; `COMMIT` stands for a digest.
#[track_caller]
fn urls(tree: &str, expected: &[&str]) {
    let tree = tree.replace("COMMIT", COMMIT);
    let joined = joined(&fixture(&tree).unwrap());
    let found: Vec<String> = joined
        .packages
        .iter()
        .map(|package| {
            package
                .purl
                .replace(COMMIT, "COMMIT")
                .replace("%2F", "/")
                .replace("%23", "#")
                .replace("%2B", "+")
        })
        .collect();
    assert_eq!(found, expected, "notes: {:#?}", joined.notes);
}

#[test]
fn the_platform_of_a_gem_is_no_part_of_its_version() {
    urls(
        "//- Gemfile.lock
GEM
  remote: https://rubygems.org/
  specs:
    ffi (1.17.2)
    ffi (1.17.2-x86_64-linux-gnu)
    ffi (1.17.2-arm64-darwin)
    nokogiri (1.18.9-java)
      ffi (~> 1.17)
    rack (3.1.0.beta1)

PLATFORMS
  ruby

DEPENDENCIES
  nokogiri

CHECKSUMS
  ffi (1.17.2-arm64-darwin) sha256=aa
  ffi (1.17.2) sha256=bb
",
        &[
            "pkg:gem/ffi@1.17.2",
            "pkg:gem/ffi@1.17.2?platform=x86_64-linux-gnu",
            "pkg:gem/ffi@1.17.2?platform=arm64-darwin",
            "pkg:gem/nokogiri@1.18.9?platform=java",
            "pkg:gem/rack@3.1.0.beta1",
        ],
    );
}

#[test]
fn a_gem_from_git_names_its_commit() {
    urls(
        "//- Gemfile.lock
GIT
  remote: https://github.com/acme/llm.git
  revision: COMMIT
  branch: main
  specs:
    llm (0.4.0)
      rack

GIT
  remote: git@github.com:acme/own.git
  revision: COMMIT
  specs:
    own (1.0.0)

GEM
  remote: https://rubygems.org/
  specs:
    rack (3.1.0)

DEPENDENCIES
  llm!
  own!
",
        &[
            "pkg:gem/llm@0.4.0?vcs_url=git+https://github.com/acme/llm.git#COMMIT",
            "pkg:gem/own@1.0.0?vcs_url=git+ssh://github.com/acme/own.git#COMMIT",
            "pkg:gem/rack@3.1.0",
        ],
    );
}

#[test]
fn packages_of_npm_from_git_name_their_commit() {
    let wanted = "pkg:npm/llm@1.2.0?vcs_url=git+https://github.com/acme/llm";
    let (plain, ending) = (format!("{wanted}#COMMIT"), format!("{wanted}.git#COMMIT"));
    let ssh = ending.replace("https", "ssh");
    for (tree, expected) in [
        (
            r#"//- package-lock.json
{"lockfileVersion": 3, "packages": {"": {}, "node_modules/llm": {"version": "1.2.0", "resolved": "git+ssh://git@github.com/acme/llm.git#COMMIT"}}}
"#,
            &ssh,
        ),
        (
            r#"//- package-lock.json
{"lockfileVersion": 3, "packages": {"": {}, "node_modules/llm": {"version": "1.2.0", "resolved": "git+https://github.com/acme/llm.git#COMMIT"}}}
"#,
            &ending,
        ),
        (
            "//- pnpm-lock.yaml
lockfileVersion: '9.0'
packages:
  llm@https://codeload.github.com/acme/llm/tar.gz/COMMIT:
    resolution: {tarball: https://codeload.github.com/acme/llm/tar.gz/COMMIT}
    version: 1.2.0
",
            &plain,
        ),
        (
            "//- pnpm-lock.yaml
lockfileVersion: '6.0'
packages:
  github.com/acme/llm/COMMIT:
    resolution: {tarball: https://codeload.github.com/acme/llm/tar.gz/COMMIT}
    name: llm
    version: 1.2.0
",
            &plain,
        ),
        (
            "//- pnpm-lock.yaml
lockfileVersion: '9.0'
packages:
  llm@git+https://github.com/acme/llm.git#COMMIT:
    resolution: {commit: COMMIT, repo: https://github.com/acme/llm.git, type: git}
    version: 1.2.0
",
            &ending,
        ),
        (
            "//- yarn.lock
# yarn lockfile v1

\"llm@git+https://github.com/acme/llm.git\":
  version \"1.2.0\"
  resolved \"git+https://github.com/acme/llm.git#COMMIT\"
",
            &ending,
        ),
        (
            "//- yarn.lock
# yarn lockfile v1

\"llm@github:acme/llm\":
  version \"1.2.0\"
  resolved \"https://codeload.github.com/acme/llm/tar.gz/COMMIT\"
",
            &plain,
        ),
        (
            "//- yarn.lock
__metadata:
  version: 8

\"llm@github:acme/llm\":
  version: 1.2.0
  resolution: \"llm@https://github.com/acme/llm.git#commit=COMMIT\"
",
            &ending,
        ),
    ] {
        urls(tree, &[expected.as_str()]);
    }
    // Without a version the commit alone says which code is meant.
    let bare = plain.replace("@1.2.0", "");
    urls(
        r#"//- package-lock.json
{"lockfileVersion": 1, "dependencies": {"llm": {"version": "github:acme/llm#COMMIT", "from": "llm@github:acme/llm"}}}
"#,
        &[&bare],
    );
    urls(
        r#"//- bun.lock
{"lockfileVersion": 1, "workspaces": {"": {"dependencies": {"llm": "github:acme/llm"}}}, "packages": {"llm": ["llm@github:acme/llm#COMMIT", {}, "acme-llm-COMMIT"]}}
"#,
        &[&bare],
    );
}

#[test]
fn packages_of_python_from_git_name_their_commit() {
    let wanted = "pkg:pypi/llm@1.2.0?vcs_url=git+https://github.com/acme/llm.git#COMMIT";
    for tree in [
        "//- poetry.lock
[[package]]
name = \"llm\"
version = \"1.2.0\"
groups = [\"main\"]

[package.source]
type = \"git\"
url = \"https://github.com/acme/llm.git\"
reference = \"main\"
resolved_reference = \"COMMIT\"
",
        "//- pdm.lock
[[package]]
name = \"llm\"
version = \"1.2.0\"
git = \"https://github.com/acme/llm.git\"
ref = \"main\"
revision = \"COMMIT\"
",
        "//- uv.lock
[[package]]
name = \"llm\"
version = \"1.2.0\"
source = { git = \"https://github.com/acme/llm.git?rev=main#COMMIT\" }
",
        "//- pylock.toml
lock-version = \"1.0\"
[[packages]]
name = \"llm\"
version = \"1.2.0\"
vcs = { type = \"git\", url = \"https://github.com/acme/llm.git\", requested-revision = \"main\", commit-id = \"COMMIT\" }
",
    ] {
        urls(tree, &[wanted]);
    }
    urls(
        r#"//- Pipfile.lock
{"_meta": {}, "default": {"llm": {"git": "https://user:token@github.com/acme/llm.git", "ref": "COMMIT"}}}
"#,
        &[&wanted.replace("@1.2.0", "")],
    );
}

#[test]
fn packages_of_composer_and_go_from_git_name_their_commit() {
    urls(
        r#"//- composer.lock
{"packages": [
  {"name": "acme/llm", "version": "dev-main", "source": {"type": "git", "url": "https://github.com/acme/llm.git", "reference": "COMMIT"}},
  {"name": "psr/log", "version": "3.0.2", "source": {"type": "git", "url": "https://github.com/php-fig/log.git", "reference": "COMMIT"}, "notification-url": "https://packagist.org/downloads/"}
], "packages-dev": []}
"#,
        &[
            "pkg:composer/acme/llm@dev-main?vcs_url=git+https://github.com/acme/llm.git#COMMIT",
            "pkg:composer/psr/log@3.0.2",
        ],
    );
    urls(
        "//- go.mod
module m

require (
\tgithub.com/acme/llm v0.0.0-20250102030405-abcdef123456
\tgithub.com/acme/own/v2 v2.1.1-0.20250102030405-abcdef654321
\tgithub.com/acme/released v1.2.3
\texample.org/x v0.0.0-20250102030405-abcdef123456
)
",
        &[
            "pkg:golang/example.org/x@v0.0.0-20250102030405-abcdef123456",
            "pkg:golang/github.com/acme/llm@v0.0.0-20250102030405-abcdef123456?vcs_url=git+https://github.com/acme/llm#abcdef123456",
            "pkg:golang/github.com/acme/own/v2@v2.1.1-0.20250102030405-abcdef654321?vcs_url=git+https://github.com/acme/own#abcdef654321",
            "pkg:golang/github.com/acme/released@v1.2.3",
        ],
    );
}

#[test]
fn a_central_file_draws_in_the_one_above_it() {
    let outer = "//- Directory.Packages.props
<Project><ItemGroup><PackageVersion Include=\"OpenAI\" Version=\"2.6.0\" /><PackageVersion Include=\"Own\" Version=\"1.0.0\" /></ItemGroup></Project>
";
    let project = "//- src/app/App.csproj
<Project><ItemGroup><PackageReference Include=\"OpenAI\" /><PackageReference Include=\"Own\" /></ItemGroup></Project>
";
    for import in [
        "$([MSBuild]::GetPathOfFileAbove(Directory.Packages.props, $(MSBuildThisFileDirectory)..))",
        "..\\Directory.Packages.props",
        "$(MSBuildThisFileDirectory)../Directory.Packages.props",
    ] {
        let inner = format!(
            "//- src/Directory.Packages.props\n<Project>\n<Import Project=\"{import}\" />\n<ItemGroup><PackageVersion Update=\"Own\" Version=\"1.5.0\" /></ItemGroup></Project>\n"
        );
        check(
            &format!("{outer}{inner}{project}"),
            "OpenAI 2.6.0 required direct :1\nOwn 1.5.0 required direct :1",
        );
    }
    // Without the import, the nearest file alone counts.
    let inner = "//- src/Directory.Packages.props\n<Project></Project>\n";
    check(
        &format!("{outer}{inner}{project}"),
        "OpenAI ? required direct :1
        OpenAI 2.6.0 unknown unknown :1
        Own ? required direct :1
        Own 1.0.0 unknown unknown :1",
    );
    // A file that draws in itself ends.
    let circle =
        "//- src/Directory.Packages.props\n<Project><Import Project=\"Directory.Packages.props\" /></Project>\n";
    check(
        &format!("{circle}{project}"),
        "OpenAI ? required direct :1\nOwn ? required direct :1",
    );
    let shared = "//- eng/Shared.Packages.props
<Project><ItemGroup><PackageVersion Include=\"OpenAI\" Version=\"2.7.0\" /><PackageVersion Include=\"Own\" Version=\"3.0.0\" /></ItemGroup></Project>
//- Directory.Packages.props
<Project><Import Project=\"eng/Shared.Packages.props\" /></Project>
";
    check(
        &format!("{shared}{project}"),
        "OpenAI 2.7.0 required direct :1\nOwn 3.0.0 required direct :1",
    );
}

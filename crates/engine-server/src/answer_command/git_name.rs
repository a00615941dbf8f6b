//! The name of the user as git knows it, read from its configuration files; no process is started.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Longest configuration file that is read.
const CONFIG_BYTES_MAX: u64 = 256 * 1024;

/// Longest name, in characters.
const NAME_CHARS_MAX: usize = 200;

/// Folders above a project in which its repository is looked for.
const PARENTS_MAX: usize = 64;

/// `user.name` of git for a project: its repository decides, then the files of the user. Included files are not read.
pub(super) fn git_name(project: &Path) -> Option<String> {
    let own = repository_config(project);
    own.into_iter()
        .chain(user_configs())
        .find_map(|file| user_name(&read(&file)?))
}

/// The configuration of the repository that a folder is in.
fn repository_config(project: &Path) -> Option<PathBuf> {
    let project = project.canonicalize().ok()?;
    let git = project
        .ancestors()
        .take(PARENTS_MAX)
        .map(|folder| folder.join(".git"))
        .find(|git| git.exists())?;
    if git.is_dir() {
        return Some(git.join("config"));
    }
    // A work tree has a file that names the folder of its repository, and that folder names the one it shares.
    let named = |file: &Path, prefix: &str| {
        let text = read(file)?;
        let name = text.lines().next()?.strip_prefix(prefix)?.trim().to_owned();
        Some(file.parent()?.join(name))
    };
    let folder = named(&git, "gitdir:")?;
    let shared = named(&folder.join("commondir"), "").unwrap_or(folder);
    Some(shared.join("config"))
}

/// The configuration files of the user, the first one before the second.
fn user_configs() -> Vec<PathBuf> {
    let folder = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let home = folder("HOME").or_else(|| folder("USERPROFILE"));
    let own = home.as_ref().map(|home| home.join(".gitconfig"));
    let shared = folder("XDG_CONFIG_HOME").or_else(|| Some(home?.join(".config")));
    own.into_iter()
        .chain(shared.map(|shared| shared.join("git/config")))
        .collect()
}

/// The text of a small file.
fn read(path: &Path) -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "git stores its configuration there")]
    let file = File::open(path).ok()?;
    // A pipe or a device in the place of the file would never end.
    file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    file.take(CONFIG_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The value of `name` in the section `user`; the last one counts.
fn user_name(config: &str) -> Option<String> {
    let mut name = None;
    let mut in_user = false;
    let joined = config.replace("\\\r\n", "").replace("\\\n", "");
    for line in joined.lines() {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let Some((section, rest)) = rest.split_once(']') else {
                continue;
            };
            in_user = section.trim().eq_ignore_ascii_case("user");
            // A value can follow its section on the same line.
            line = rest.trim();
        }
        let Some((key, given)) = line.split_once('=').filter(|_| in_user) else {
            continue;
        };
        if key.trim().eq_ignore_ascii_case("name") {
            name = Some(value(given)).filter(|name| !name.is_empty());
        }
    }
    name
}

/// A value without its quotes, escapes and comment.
fn value(given: &str) -> String {
    let mut text = String::new();
    let mut quoted = false;
    let mut chars = given.trim_start().chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => break,
            '\\' => match chars.next() {
                Some('n' | 't' | 'b') => text.push(' '),
                Some(other) => text.push(other),
                None => {}
            },
            c if c.is_control() => text.push(' '),
            c => text.push(c),
        }
    }
    text.trim().chars().take(NAME_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_read_like_git_does() {
        for (config, name) in [
            ("[user]\n\tname = A. Person\n", Some("A. Person")),
            ("[user] name = A. Person ; a comment", Some("A. Person")),
            ("[USER]\nNAME=\"A. # Person\" # a comment\n", Some("A. # Person")),
            ("[user]\n name = \"A \\\"Nick\\\" Person\"\n", Some("A \"Nick\" Person")),
            ("[user]\nname = A.\\\n Person\n", Some("A. Person")),
            (
                "[user]\nname = First\n[core]\nname = Other\n[user]\nname = Last\n",
                Some("Last"),
            ),
            ("[user \"work\"]\nname = A. Person\n", None),
            ("[user]\nemail = a@example.org\n", None),
            ("[user]\nname =\n", None),
            ("[user\nname = A. Person\n", None),
            ("", None),
        ] {
            assert_eq!(user_name(config).as_deref(), name, "{config:?}");
        }
    }

    #[test]
    fn a_work_tree_uses_the_configuration_of_its_repository() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            crate::command::write_file(&path, text).unwrap();
        };
        write("main/.git/config", "[user]\nname = A. Person\n");
        write("main/.git/worktrees/other/commondir", "../..\n");
        write("other/.git", "gitdir: ../main/.git/worktrees/other\n");
        write("other/app/main.py", "");
        for path in ["main", "other", "other/app"] {
            assert_eq!(
                git_name(&folder.path().join(path)).as_deref(),
                Some("A. Person"),
                "{path}"
            );
        }
    }
}

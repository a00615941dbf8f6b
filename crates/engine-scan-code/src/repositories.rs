//! A folder that holds several repositories is several projects: each is joined by itself.
//!
//! What a repository of one's own uses from the one beside it is a library like any other, and a notice that one product
//! shows says nothing of the next. Joined apart, they need the memory of the largest, and a change in one leaves the others as
//! they were.

use std::ops::Range;

use engine_model::FileInfo;

/// Files and folders that stand at the top of a repository and nowhere else, by their names in lower case; a name that ends
/// with `*` is a beginning.
const MARKS: [&str; 14] = [
    ".circleci",
    ".gitattributes",
    ".github",
    ".gitlab",
    ".gitlab-ci.yml",
    ".gitmodules",
    "azure-pipelines.yml",
    "code_of_conduct*",
    "codeowners",
    "contributing*",
    "copying*",
    "jenkinsfile",
    "licen*",
    "security.md",
];

/// The ranges of files, in the order of their paths, that are projects of their own. One range where the folder is one
/// project: where a file lies at its top, or a folder with code bears no mark of a repository.
pub(crate) fn split<T>(files: &[(FileInfo, T)]) -> Vec<Range<usize>> {
    let whole = || std::iter::once(0..files.len()).collect();
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut top = "";
    let (mut marked, mut code) = (false, false);
    for (at, (info, _)) in files.iter().enumerate() {
        let Some((dir, rest)) = info.path.split_once('/') else {
            return whole();
        };
        if dir != top || out.is_empty() {
            if code && !marked {
                return whole();
            }
            top = dir;
            (marked, code) = (false, false);
            out.push(at..at);
        }
        if let Some(last) = out.last_mut() {
            last.end = at + 1;
        }
        marked = marked || is_mark(rest);
        code = code || crate::wants(&info.path, info.language, info.zone);
    }
    if out.len() < 2 || (code && !marked) {
        return whole();
    }
    out
}

/// Whether a path inside a folder says that the folder is a repository.
fn is_mark(rest: &str) -> bool {
    let name = rest.split('/').next().unwrap_or(rest).to_ascii_lowercase();
    MARKS.iter().any(|mark| match mark.strip_suffix('*') {
        // Such files may be kept in a folder of that name, which says nothing.
        Some(beginning) => !rest.contains('/') && name.starts_with(beginning),
        None => name == *mark,
    })
}

#[cfg(test)]
mod tests {
    use engine_model::{FileInfo, Language, Zone};

    use super::split;

    fn files(paths: &[&str]) -> Vec<(FileInfo, ())> {
        let info = |path: &&str| FileInfo {
            path: (*path).to_owned(),
            size: 1,
            digest: [0; 32],
            zone: Zone::Product,
            language: Language::of_path(path),
        };
        paths.iter().map(|path| (info(path), ())).collect()
    }

    #[test]
    fn a_folder_of_repositories_is_split_at_its_folders() {
        let files = files(&[
            "a-b/LICENSE",
            "a-b/app.py",
            "a/.github/workflows/ci.yml",
            "a/src/app.py",
            "notes/todo.md",
        ]);
        assert_eq!(split(&files), [0..2, 2..4, 4..5]);
    }

    #[test]
    fn parts_of_one_project_stay_together() {
        for paths in [
            // A file at the top.
            &["README.md", "a/LICENSE", "a/app.py", "b/LICENSE", "b/app.py"][..],
            // A folder with code that is no repository.
            &["backend/app.py", "frontend/LICENSE", "frontend/app.ts"],
            &["backend/LICENSE", "backend/app.py", "frontend/app.ts"],
            // A template leaves these in every part.
            &[
                "backend/.gitignore",
                "backend/app.py",
                "frontend/README.md",
                "frontend/app.ts",
            ],
            // A folder of licences.
            &["a/licenses/mit.txt", "a/app.py", "b/LICENSE", "b/app.py"],
            &["a/LICENSE", "a/app.py"],
            &[],
        ] {
            let files = files(paths);
            assert_eq!(
                split(&files).as_slice(),
                std::slice::from_ref(&(0..files.len())),
                "{paths:?}"
            );
        }
    }
}

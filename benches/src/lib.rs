//! Corpora of stated size for the benches: the same bytes for the same name, every time.

pub mod adversarial;
mod shapes;

use std::fmt::Write as _;
use std::path::Path;

use engine_model::MemoryTree;

/// A corpus with a name, so that figures of different days speak of the same thing.
pub struct Corpus {
    /// Its name.
    pub name: &'static str,
    /// Its files.
    pub tree: MemoryTree,
    /// Their bytes.
    pub bytes: u64,
    /// Their number.
    pub files: u64,
}

/// The corpora, from small to large.
pub fn corpora() -> Vec<Corpus> {
    vec![
        generate("small-50", 50),
        generate("medium-1000", 1_000),
        generate("large-5000", 5_000),
    ]
}

/// One corpus by its number of files. One file in fifty uses a model; the others are plain code of an application.
pub fn generate(name: &'static str, files: usize) -> Corpus {
    let mut tree = MemoryTree::default();
    tree.insert(
        "requirements.txt",
        "fastapi==0.115.0\nopenai==1.51.0\nsqlalchemy==2.0.35\n",
    );
    tree.insert(
        "package.json",
        "{\"name\":\"web\",\"private\":true,\"dependencies\":{\"react\":\"18.3.1\"}}\n",
    );
    tree.insert(
        "README.md",
        "# Demo\n\nAn application that was generated to be measured.\n",
    );
    for index in 0..files.saturating_sub(3) {
        let (path, text) = match index % 10 {
            0..=4 => (format!("app/m{:03}/service_{index}.py", index / 50), python(index)),
            5..=7 => (format!("web/src/m{:03}/view{index}.tsx", index / 50), tsx(index)),
            8 => (format!("svc/m{:03}/handler_{index}.go", index / 50), go(index)),
            _ => (format!("docs/m{:03}/note-{index}.md", index / 50), markdown(index)),
        };
        tree.insert(path, text);
    }
    let (count, bytes) = tree
        .files()
        .fold((0, 0), |(n, b), file| (n + 1, b + file.bytes.len() as u64));
    Corpus {
        name,
        tree,
        bytes,
        files: count,
    }
}

/// Writes a corpus to a folder.
#[expect(clippy::disallowed_methods, reason = "a corpus for the walk lies on the disk")]
pub fn write_to(corpus: &Corpus, folder: &Path) -> std::io::Result<()> {
    for file in corpus.tree.files() {
        let path = folder.join(file.path.as_ref());
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, &file.bytes)?;
    }
    Ok(())
}

fn python(index: usize) -> String {
    let mut out =
        String::from("import logging\nfrom dataclasses import dataclass\n\nlog = logging.getLogger(__name__)\n\n");
    if index.is_multiple_of(50) {
        out.push_str("from openai import OpenAI\n\nclient = OpenAI()\n\n\ndef answer(question):\n    reply = client.responses.create(model=\"gpt-4.1-mini\", input=question)\n    log.info(\"answered\")\n    return reply.output_text\n\n");
    }
    for part in 0..12 {
        let _ = write!(
            out,
            "\n@dataclass\nclass Row{part}:\n    key: str\n    amount: int = {index}\n\n    def total(self, rate):\n        \
             value = self.amount * rate + {part}\n        if value > 100:\n            log.info(\"row %s is large\", self.key)\n        \
             return value\n\n\ndef collect_{part}(rows):\n    out = {{}}\n    for row in rows:\n        out.setdefault(row.key, []).append(row.total({part}))\n    \
             return [sum(values) for values in out.values()]\n"
        );
    }
    out
}

fn tsx(index: usize) -> String {
    let mut out = String::from("import { useEffect, useState } from 'react';\n\n");
    for part in 0..8 {
        let _ = write!(
            out,
            "export function View{part}({{ id }}: {{ id: string }}) {{\n  const [rows, setRows] = useState<string[]>([]);\n  \
             useEffect(() => {{ fetch(`/api/rows/{index}/${{id}}`).then((r) => r.json()).then(setRows); }}, [id]);\n  \
             return (<ul className=\"v{part}\">{{rows.map((row) => <li key={{row}}>{{row}}</li>)}}</ul>);\n}}\n\n"
        );
    }
    out
}

fn go(index: usize) -> String {
    let mut out = format!("package m{}\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n)\n", index / 50);
    for part in 0..10 {
        let _ = write!(
            out,
            "\nfunc Handle{index}x{part}(w http.ResponseWriter, r *http.Request) {{\n\tname := r.URL.Query().Get(\"name\")\n\t\
             if name == \"\" {{\n\t\thttp.Error(w, \"no name\", 400)\n\t\treturn\n\t}}\n\tfmt.Fprintf(w, \"hello %s {part}\", name)\n}}\n"
        );
    }
    out
}

fn markdown(index: usize) -> String {
    let mut out = format!("# Note {index}\n\n");
    for part in 0..20 {
        let _ = write!(
            out,
            "## Part {part}\n\nHow the rows of module {index} are collected, and which of them are large.\n\n"
        );
    }
    out
}

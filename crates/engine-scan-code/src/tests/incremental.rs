//! Incremental joins: texts next to the code whose relevant content is cached, so that other changes cause no new join.

use std::sync::Arc;

use engine_model::{MemoryTree, fixture};

use crate::memory::{Changes, Remembered, join_again};
use crate::{CodeFacts, ManifestNames, Modules, read, wants};

fn again(tree: &MemoryTree, before: Option<Remembered>) -> (Remembered, Changes) {
    let mut files: Vec<_> = tree
        .files()
        .map(|file| {
            let wanted = wants(&file.path, file.language, file.zone);
            let facts = if wanted { read(&file) } else { CodeFacts::default() };
            (file.info(), Arc::new(facts))
        })
        .collect();
    join_again(
        &mut files,
        &ManifestNames::default(),
        tree,
        before.map(Arc::new),
        &Modules::default(),
    )
}

const PRODUCT: &str = r#"
//- server.js
import express from 'express';
import { spawn } from 'child_process';
import OpenAI from 'openai';
const app = express();
const client = new OpenAI();
app.post('/api/applicants/decide-all', async (req, res) => {
  const { resumeText, jobDescription } = req.body;
  const answer = await client.responses.create({ model: 'gpt-4.1', input: `${resumeText} for ${jobDescription}` });
  const applicant = {};
  if (answer.output_text === 'no') {
    applicant.status = 'Rejected';
  }
  res.json(applicant);
});
spawn('python3', ['score.py']);
//- score.py
from openai import OpenAI

def score(applicant):
    answer = OpenAI().responses.create(model="gpt-4.1", input=applicant.cv)
    applicant.status = answer.output_text
    applicant.save()

score(load())
//- src/app-errors.js
import express from 'express';
export const start = app => app.listen(3000);
//- src/index.tsx
import { App } from './App';
render(<App/>);
//- public/index.html
<script src="/src/index.tsx"></script>
//- src/App.tsx
import { Applicants } from './Applicants';
export const App = () => <Applicants/>;
//- src/Old.tsx
export const Old = () => <p>You are talking to an AI.</p>;
//- src/Applicants.tsx
export const Applicants = () => <button onClick={() => fetch('/api/applicants/decide-all')}>Go</button>;
"#;

#[test]
fn whitespace_change_in_text_causes_no_new_join() {
    let (before, _) = again(&fixture(PRODUCT).unwrap(), None);
    for path in [
        "server.js",
        "score.py",
        "src/app-errors.js",
        "src/index.tsx",
        "public/index.html",
        "src/App.tsx",
        "src/Old.tsx",
        "src/Applicants.tsx",
    ] {
        let mut tree = fixture(PRODUCT).unwrap();
        let text = tree.files().find(|file| file.path == path).unwrap().bytes.to_vec();
        tree.insert(path, [text, b"\n".to_vec()].concat());
        let (after, changes) = again(&tree, Some(before.clone()));
        assert_eq!((changes.joined, changes.noted > 0), (0, true), "{path}");
        assert_eq!(after.join(), before.join(), "{path}");
    }
}

#[test]
fn text_change_causes_new_join() {
    let (before, _) = again(&fixture(PRODUCT).unwrap(), None);
    for (from, to) in [
        // Another script is started.
        ("['score.py']", "['other.py']"),
        // Every failure is taken.
        ("app => app.listen(3000);", "app => app.setErrorHandler(log);"),
        // Whatever lies in a folder is brought in.
        ("render(<App/>);", "render(<App/>, import.meta.glob('./*.tsx'));"),
        // A page asks first.
        (
            "fetch('/api/applicants/decide-all')",
            "confirm('?') && fetch('/api/applicants/decide-all')",
        ),
        // A page names another component.
        ("src=\"/src/index.tsx\"", "src=\"/src/Old.tsx\""),
    ] {
        let text = PRODUCT.replacen(from, to, 1);
        assert_ne!(text, PRODUCT, "{from}");
        let tree = fixture(&text).unwrap();
        let (after, changes) = again(&tree, Some(before.clone()));
        assert_eq!(changes.joined, 1, "{to}");
        assert_eq!(after.join(), again(&tree, None).0.join(), "{to}");
    }
}

#[test]
fn text_beyond_size_limit_causes_new_join() {
    let (before, _) = again(&fixture(PRODUCT).unwrap(), None);
    let mut tree = fixture(PRODUCT).unwrap();
    let text = tree
        .files()
        .find(|file| file.path == "src/Old.tsx")
        .unwrap()
        .bytes
        .to_vec();
    tree.insert("src/Old.tsx", [text, vec![b'\n'; 300 * 1024]].concat());
    let (after, changes) = again(&tree, Some(before));
    assert_eq!(changes.joined, 1);
    assert_eq!(after.join(), again(&tree, None).0.join());
}

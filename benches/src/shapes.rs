//! Files and trees of 1 MiB in which code is plausible line by line and hangs together as badly as it can: calls in calls,
//! chains, circles, and one name for everything.

use std::fmt::Write as _;

/// Bytes of each file, or of all files of a tree together.
const BYTES: usize = 1024 * 1024;

/// Bytes of one file of a tree of small ones.
const SMALL: usize = 4 * 1024;

/// A name, and the files.
pub(crate) type Shape = (&'static str, fn() -> Vec<(String, String)>);

/// All shapes.
pub(crate) const SHAPES: &[Shape] = &[
    ("py-own-arguments", || {
        python(&repeat(PY, |at| format!("r{at} = {}\n", nested(40)), ""))
    }),
    ("py-own-chain", || {
        python(&repeat(
            PY,
            |at| format!("r{} = c.responses.create(model='m', input=r{at})\n", at + 1),
            "",
        ))
    }),
    ("py-own-handler", || {
        let head = "from flask import Flask, request\napp = Flask(__name__)\n@app.post('/ask')\ndef ask():\n    q = request.json['q']\n";
        let unit = "    try:\n        q = c.responses.create(model='m', input=q).output_text\n    except Exception as e:\n        print('failed', e)\n";
        python(&repeat(&format!("{PY}{head}"), |_| unit.to_owned(), "    return q\n"))
    }),
    ("py-own-circle", || {
        let unit = |at: usize| {
            let to = |step: usize| (at * 7 + step * step * 31) % 3_000;
            format!("def f{at}(x):\n    return f{}(f{}(f{}(x)))\n", to(1), to(2), to(3))
        };
        python(&repeat(
            &format!("{PY}def ask(x):\n    return c.responses.create(model='m', input=x)\n"),
            unit,
            "f0(ask(f1(1)))\n",
        ))
    }),
    ("py-own-one-name", || {
        let unit = |at: usize| match at % 4 {
            0 => "v = c.responses.create(model='m', input=v)\n".to_owned(),
            1 => "v = v.output_text\n".to_owned(),
            2 => format!("v = wrap(v, {at})\n"),
            _ => "if v:\n    v = [v, v]\n".to_owned(),
        };
        python(&repeat(PY, unit, ""))
    }),
    ("py-own-one-name-inside", || {
        let unit = |at: usize| match at % 3 {
            0 => "    v = c.responses.create(model='m', input=v)\n".to_owned(),
            1 => "    v = clean(v)\n".to_owned(),
            _ => "    if v.ok:\n        return v\n".to_owned(),
        };
        python(&repeat(&format!("{PY}def run(v):\n"), unit, "    return v\n"))
    }),
    ("py-own-one-class", || {
        let unit = "class A(A):\n    def __init__(self):\n        self.c = openai.OpenAI()\n    def f(self, q):\n        self.r = self.c.responses.create(model='m', input=self.r)\n        return self.f(self.r)\n";
        python(&repeat(PY, |_| unit.to_owned(), "A().f(1)\n"))
    }),
    ("py-own-routes", || {
        let head = "from fastapi import FastAPI\napp = FastAPI()\ndef ask(q):\n    return c.responses.create(model='m', input=q)\n";
        python(&repeat(
            &format!("{PY}{head}"),
            |at| format!("@app.get('/r{at}')\ndef h{at}(q):\n    return ask(q)\n"),
            "",
        ))
    }),
    ("py-own-routes-in-a-row", || {
        let head = "from fastapi import FastAPI\napp = FastAPI()\ndef h0(q):\n    return c.responses.create(model='m', input=q)\n";
        python(&repeat(
            &format!("{PY}{head}"),
            |at| format!("@app.get('/r{at}')\ndef h{}(q):\n    return h{at}(q)\n", at + 1),
            "",
        ))
    }),
    ("py-own-environment", || {
        python(&repeat(
            "import os\nimport openai\n",
            |at| {
                format!(
                    "K{at} = os.environ['K{at}'] or os.getenv('L{at}')\nc{at} = openai.OpenAI(api_key=K{at}, base_url=K{})\nc{at}.responses.create(model=K{at}, input=K{at})\n",
                    at / 2
                )
            },
            "",
        ))
    }),
    ("py-own-spread", || {
        let unit = |at: usize| {
            format!(
                "d{} = {{**d{at}, 'k{at}': d{at}}}\nc.responses.create(**d{at})\n",
                at + 1
            )
        };
        python(&repeat(&format!("{PY}d0 = {{'model': 'm', 'input': 'x'}}\n"), unit, ""))
    }),
    ("py-own-spread-of-one", || {
        let unit = "d = {**d, **d, 'k': d}\nc.responses.create(**d)\n";
        python(&repeat(
            &format!("{PY}d = {{'model': 'm', 'input': 'x'}}\n"),
            |_| unit.to_owned(),
            "",
        ))
    }),
    ("py-own-map", || {
        let entries = repeat_to(100_000, |at| format!("'k{at}': {at}, "));
        python(&repeat(
            &format!("{PY}o = {{{entries}}}\n"),
            |_| "c.responses.create(o, **o)\n".to_owned(),
            "",
        ))
    }),
    ("py-own-decorators", || {
        let unit = |at: usize| {
            format!(
                "def d{at}(f):\n    def w(*a):\n        try:\n            return f(*a)\n        except Exception as e:\n            log(e)\n    return w\n@d{at}\n@d{}\n@d0\ndef g{at}(q):\n    return c.responses.create(model='m', input=q)\n",
                at / 2
            )
        };
        python(&repeat(PY, unit, ""))
    }),
    ("py-own-decorators-on-one", || {
        python(&repeat(
            PY,
            |at| format!("@d{}\n", at % 50),
            "def f(q):\n    return c.responses.create(model='m', input=q)\n",
        ))
    }),
    ("py-own-people", || {
        let head = "class Candidate:\n    name: str\n    cv: str\n    skills: str\n    experience: str\ndef read(key) -> Candidate:\n    return db.get(key)\n";
        let unit = |at: usize| {
            format!(
                "def screen{at}(candidate: Candidate):\n    r = c.responses.create(model='m', input=candidate.cv + candidate.skills)\n    if r.score < {at}:\n        candidate.status = 'rejected'\n        db.execute(\"UPDATE applications SET verdict = 'rejected'\", r)\n    return sorted([r], key=lambda x: x.score)\n"
            )
        };
        python(&repeat(&format!("{PY}{head}"), unit, ""))
    }),
    ("py-own-people-in-one", || {
        let head = "class Candidate:\n    name: str\n    cv: str\n    skills: str\ndef screen(candidate: Candidate, enabled):\n    if not candidate.cv:\n        return None\n";
        let unit = "    r = c.responses.create(model='m', input=[candidate.cv, candidate.skills, r])\n    if r.score:\n        candidate.status = 'rejected'\n";
        python(&repeat(&format!("{PY}{head}"), |_| unit.to_owned(), "    return r\n"))
    }),
    ("py-own-faces", || {
        let head = "from deepface import DeepFace\nimport face_recognition\ndef read(frame, employee, known):\n    rows = []\n";
        let unit = "    m = DeepFace.analyze(frame, actions=['emotion', 'race'])\n    who = face_recognition.compare_faces(known, m)\n    rows.append({'employee_id': employee.id, 'age': m, 'who': who})\n    log.info('seen %s', who)\n    cur.execute('INSERT INTO moods VALUES (?)', (m,))\n    cur.execute('SELECT * FROM moods JOIN employees')\n";
        python(&repeat(head, |_| unit.to_owned(), ""))
    }),
    ("py-own-emotions", || {
        let head = "import cv2\nfrom tensorflow.keras.models import load_model\nnet = load_model('m.h5')\nE = ['Angry', 'Disgust', 'Fear', 'Happy', 'Sad', 'Surprise', 'Neutral']\nface = cv2.imread('x')\n";
        python(&repeat(
            head,
            |_| "s = net.predict(face)\nprint(E[s], E[int(s)])\n".to_owned(),
            "",
        ))
    }),
    ("py-own-pictures", || {
        let unit =
            "r = c.images.generate(model='gpt-image-1', prompt=r, extra_body={'a': r})\npipe.safety_checker = x\n";
        python(&repeat(PY, |_| unit.to_owned(), ""))
    }),
    ("py-own-rows", || {
        let unit = "r = c.responses.create(model='m', input=q)\nConversation.objects.create(question=q, answer=r)\nrow.reply = r\nrow.save()\n";
        python(&repeat(PY, |_| unit.to_owned(), ""))
    }),
    ("py-own-rows-inside", || {
        let unit = "    r = c.responses.create(model='m', input=[q, r])\n    Conversation.objects.create(question=other, answer=r)\n    q = q + r\n";
        python(&repeat(&format!("{PY}def run(q, r):\n"), |_| unit.to_owned(), ""))
    }),
    ("py-own-notices", || {
        let unit = |at: usize| format!("'k{at}': 'You are chatting with an AI assistant', ");
        python(&repeat(
            &format!("{PY}c.responses.create(model='m', input='x')\nT = {{'role': 'x', "),
            unit,
            "}\n",
        ))
    }),
    ("py-own-notice-handed-on", || {
        let unit = "v = 'You are chatting with an AI'\nv = v\nc.responses.create(model='m', input=v)\n";
        python(&repeat(PY, |_| unit.to_owned(), ""))
    }),
    ("py-own-training", || {
        let head =
            "from sklearn.linear_model import LogisticRegression\nimport transformers\nm = LogisticRegression()\n";
        let unit = "y = m.predict(x)\nopen('d.csv', 'a').write(y)\nm.fit(open('d.csv'), y)\nt = transformers.AutoModel.from_pretrained('a/b')\nt.train(y)\n";
        python(&repeat(head, |_| unit.to_owned(), ""))
    }),
    ("py-own-publishing", || {
        let unit = "r = c.responses.create(model='m', input=r)\nrequests.post('https://api.twitter.com/2/tweets', json={'text': r, 'state': 'draft'})\n";
        python(&repeat(&format!("{PY}import requests\n"), |_| unit.to_owned(), ""))
    }),
    ("py-own-approval", || {
        let unit = "if approved and input('Approve? y/n') == 'y':\n    r = c.responses.create(model='m', input=r)\n    send_email(r)\n";
        python(&repeat(
            PY,
            |_| unit.to_owned(),
            "def approve(reviewer, approved):\n    db.save(approved)\n",
        ))
    }),
    ("py-own-stars", || {
        let unit = |at: usize| format!("from m{at} import *\nx{at}(y{at})\n");
        python(&repeat(PY, unit, "c.responses.create(model='m', input=z)\n"))
    }),
    ("py-own-parameters", || {
        let unit = |at: usize| {
            format!(
                "def a{}(k, q):\n    k.responses.create(model='m', input=q)\n    return a{at}(k, q)\na{at}(c, q{at})\n",
                at + 1
            )
        };
        python(&repeat(
            &format!("{PY}def a0(k, q):\n    return k.responses.create(model='m', input=q)\n"),
            unit,
            "",
        ))
    }),
    ("py-own-callers", || {
        python(&repeat(
            &format!("{PY}def ask(q):\n    return c.responses.create(model='m', input=q)\n"),
            |at| format!("r = ask(r, {at})\n"),
            "",
        ))
    }),
    ("py-own-methods", || {
        let unit = |at: usize| {
            format!(
                "    def m{}(self, q):\n        self.r{at} = self.c.responses.create(model='m', input=self.r{})\n        return self.m{at}(q)\n",
                at + 1,
                at / 2
            )
        };
        python(&repeat(
            &format!("{PY}class A:\n    def __init__(self):\n        self.c = openai.OpenAI()\n"),
            unit,
            "",
        ))
    }),
    ("py-own-nested-functions", || {
        let mut deep = String::new();
        for depth in 0..60 {
            let _ = writeln!(deep, "{}def f{depth}(x):", " ".repeat(depth));
        }
        let _ = writeln!(deep, "{}return c.responses.create(model='m', input=x)", " ".repeat(60));
        python(&repeat(PY, |_| deep.clone(), ""))
    }),
    ("py-own-globals", || {
        let unit = |at: usize| format!("def f{at}():\n    global g\n    g = c.responses.create(model='m', input=g)\n");
        python(&repeat(&format!("{PY}g = None\n"), unit, ""))
    }),
    ("py-own-requests", || {
        let unit = |at: usize| {
            format!(
                "def f{at}(u=U):\n    return requests.post(f'{{u}}/v1/chat/completions', headers=H, json={{'model': M, 'messages': [{{'role': 'user', 'content': f{}(q)}}]}})\n",
                at / 2
            )
        };
        python(&repeat(
            "import os\nimport requests\nU = os.environ['U']\nM = os.environ['M']\nH = {'Authorization': U}\n",
            unit,
            "",
        ))
    }),
    ("py-own-templates", || {
        let unit = |at: usize| {
            format!(
                "t{} = f'{{t{at}}} {{t{}}} and'\nc.responses.create(model='m', input=t{at})\n",
                at + 1,
                at / 2
            )
        };
        python(&repeat(&format!("{PY}t0 = 'x'\n"), unit, ""))
    }),
    ("py-own-agents", || {
        let unit = |at: usize| {
            format!(
                "@tool\ndef t{at}(x):\n    os.system(x)\na{at} = Agent(name='a{at}', model='gpt-4.1', tools=[t{at}, a{}], instructions='You are an AI')\nRunner.run(a{at}, 'x')\n",
                at / 2
            )
        };
        python(&repeat(
            "import os\nfrom agents import Agent, Runner, tool\na0 = None\n",
            unit,
            "",
        ))
    }),
    ("py-own-chains", || {
        let unit = |at: usize| format!("x{} = x{at} | p | m | x{}\nx{at}.invoke(q)\n", at + 1, at / 2);
        python(&repeat(
            "from langchain_openai import ChatOpenAI\nfrom langchain_core.prompts import ChatPromptTemplate\nm = ChatOpenAI(model='gpt-4.1')\np = ChatPromptTemplate.from_template('x')\nx0 = p | m\n",
            unit,
            "",
        ))
    }),
    ("py-own-commands", || {
        let unit = "subprocess.run(['ollama', 'run', m, r], shell=True)\nos.system(r)\nr = c.responses.create(model='m', input=r)\n";
        python(&repeat(
            &format!("{PY}import os, subprocess\n"),
            |_| unit.to_owned(),
            "",
        ))
    }),
    ("py-own-small-files", || {
        small(|at, other| {
            (
                format!("m{at}/app.py"),
                format!(
                    "from m{other}.app import *\nfrom m{other} import app\nimport openai\nc = openai.OpenAI()\ndef f(x):\n    return c.responses.create(model='m', input=app.f(x))\n"
                ),
                "x = f(x)\n".to_owned(),
            )
        })
    }),
    ("py-own-small-files-of-one-name", || {
        small(|at, other| {
            (
                format!("a/b{at}/utils.py"),
                format!(
                    "from utils import f, g\nfrom .utils import h\nfrom b{other}.utils import f\nimport openai\nopenai.OpenAI().responses.create(model='m', input=f(g))\n"
                ),
                "f(g(h))\n".to_owned(),
            )
        })
    }),
    ("ts-own-arguments", || {
        script(&repeat(TS, |at| format!("const r{at} = {};\n", nested_script(40)), ""))
    }),
    ("ts-own-chain", || {
        script(&repeat(
            TS,
            |at| {
                format!(
                    "const r{} = await c.responses.create({{ model: 'm', input: r{at} }});\n",
                    at + 1
                )
            },
            "",
        ))
    }),
    ("ts-own-handler", || {
        let head = "import express from 'express';\nconst app = express();\napp.post('/ask', async (req, res) => {\n  let q = req.body.q;\n";
        let unit = "  try { q = await c.responses.create({ model: 'm', input: q }); } catch (e) { console.error('failed', e); }\n";
        script(&repeat(
            &format!("{TS}{head}"),
            |_| unit.to_owned(),
            "  res.json(q);\n});\n",
        ))
    }),
    ("ts-own-routes", || {
        let head = "import express from 'express';\nconst app = express();\nconst ask = async (q) => c.responses.create({ model: 'm', input: q });\n";
        script(&repeat(
            &format!("{TS}{head}"),
            |at| format!("app.get('/r{at}', async (req, res) => res.json(await ask(req.query.q{at})));\n"),
            "",
        ))
    }),
    ("ts-own-spread", || {
        let unit = |at: usize| {
            format!(
                "const d{} = {{ ...d{at}, k{at}: d{at} }};\nc.responses.create({{ ...d{at} }});\n",
                at + 1
            )
        };
        script(&repeat(&format!("{TS}const d0 = {{ model: 'm' }};\n"), unit, ""))
    }),
    ("ts-own-then", || {
        let unit = "c.responses.create({ model: 'm', input: q }).then((r) => c.responses.create({ model: 'm', input: r })).catch((e) => console.log('failed', e));\n";
        script(&repeat(TS, |_| unit.to_owned(), ""))
    }),
    ("ts-own-listeners", || {
        let unit = "s = c.responses.stream({ model: 'm', input: s });\ns.on('data', (d) => out.write(d));\n";
        script(&repeat(&format!("{TS}let s;\n"), |_| unit.to_owned(), ""))
    }),
    ("ts-own-exports", || {
        let unit = |at: usize| {
            format!(
                "export const a{} = async (q) => a{at}(await c.responses.create({{ model: 'm', input: q }}));\n",
                at + 1
            )
        };
        script(&repeat(TS, unit, "export default { a1 };\n"))
    }),
    ("ts-own-environment", || {
        script(&repeat(
            "import OpenAI from 'openai';\n",
            |at| {
                format!(
                    "const c{at} = new OpenAI({{ apiKey: process.env.K{at}, baseURL: process.env['L{at}'] ?? c{} }});\nawait c{at}.responses.create({{ model: process.env.M{at}, input: 'x' }});\n",
                    at / 2
                )
            },
            "",
        ))
    }),
    ("ts-own-small-files", || {
        small(|at, other| {
            (
                format!("m{at}/index.ts"),
                format!(
                    "export * from '../m{other}';\nimport {{ f as g }} from '../m{other}';\nimport OpenAI from 'openai';\nconst c = new OpenAI();\nexport const f = async (x) => c.responses.create({{ model: 'm', input: await g(x) }});\n"
                ),
                "f(x);\n".to_owned(),
            )
        })
    }),
    ("tsx-own-components", || {
        let unit = |at: usize| {
            format!(
                "export function P{at}() {{ const [a, setA] = useState(''); const go = async (q) => setA(await c.responses.create({{ model: 'm', input: q + a }})); return <div onClick={{go}}>AI assistant {{a}}<P{} /></div>; }}\n",
                at / 2
            )
        };
        vec![(
            "app/page.tsx".to_owned(),
            repeat(&format!("import {{ useState }} from 'react';\n{TS}"), unit, ""),
        )]
    }),
    ("go-own-errors", || {
        let unit = "\tr, err = c.Responses.New(ctx, openai.P{Input: r})\n\tif err != nil {\n\t\treturn r, err\n\t}\n";
        go(&repeat(
            &format!("{GO}func run(c *openai.Client, r any) (any, error) {{\n\tvar err error\n"),
            |_| unit.to_owned(),
            "\treturn r, nil\n}\n",
        ))
    }),
    ("go-own-streams", || {
        let unit =
            "\ts := c.Responses.NewStreaming(ctx, p)\n\tfor s.Next() {\n\t\tuse(s.Current())\n\t}\n\ts = s.Err()\n";
        go(&repeat(
            &format!("{GO}func run(c *openai.Client) {{\n"),
            |_| unit.to_owned(),
            "}\n",
        ))
    }),
    ("go-own-routes", || {
        let head =
            "func ask(q string) any { c := openai.NewClient(); return c.Responses.New(nil, q) }\nfunc main() {\n";
        go(&repeat(
            &format!("{GO}{head}"),
            |at| {
                format!(
                    "\thttp.HandleFunc(\"/r{at}\", func(w http.ResponseWriter, r *http.Request) {{ w.Write(ask(r.URL)) }})\n"
                )
            },
            "}\n",
        ))
    }),
    ("go-own-interface", || {
        let unit = |at: usize| {
            format!(
                "type T{at} struct {{ c *openai.Client; next Asker }}\nfunc (t *T{at}) Ask(q string) any {{ return t.c.Responses.New(nil, t.next.Ask(q)) }}\n"
            )
        };
        go(&repeat(
            &format!("{GO}type Asker interface {{ Ask(q string) any }}\n"),
            unit,
            "",
        ))
    }),
    ("go-own-small-files", || {
        small(|at, _| {
            (
                format!("pkg/f{at}.go"),
                format!(
                    "package pkg\n\nimport \"github.com/openai/openai-go\"\n\nfunc F{at}(c *openai.Client) {{ c.Responses.New(nil, G{}()) }}\n",
                    at / 2
                ),
                "func init() { Missing() }\n".to_owned(),
            )
        })
    }),
    ("rs-own-results", || {
        let unit = "    let r = c.chat().create(r).await;\n    if let Err(e) = r { eprintln!(\"failed {e}\"); }\n";
        rust(&repeat(
            &format!("{RS}async fn run(c: Client<C>, r: R) {{\n"),
            |_| unit.to_owned(),
            "}\n",
        ))
    }),
    ("rs-own-impl", || {
        let unit = |at: usize| {
            format!(
                "impl Asker for T{at} {{ fn ask(&self, q: Q) -> R {{ self.c.chat().create(self.ask(q)) }} }}\nstruct T{at} {{ c: Client<C> }}\n"
            )
        };
        rust(&repeat(
            &format!("{RS}trait Asker {{ fn ask(&self, q: Q) -> R; }}\n"),
            unit,
            "",
        ))
    }),
    ("java-own-services", || {
        let unit = |at: usize| {
            format!(
                "  Object m{at}(Object q) {{ Object r = c.responses().create(m{}(q)); if (r.ok()) {{ repository.save(r); }} return r; }}\n",
                at / 2
            )
        };
        vec![(
            "src/Main.java".to_owned(),
            repeat(
                "import com.openai.client.OpenAIClient;\n@Service\nclass Main {\n  private final OpenAIClient c;\n  Main(OpenAIClient c) { this.c = c; }\n",
                unit,
                "}\n",
            ),
        )]
    }),
    ("java-own-builders", || {
        let unit = |at: usize| {
            format!("    r = c.responses().create(P.builder().model(m{at}).input(r).put(\"a\", r).build());\n")
        };
        vec![(
            "src/Main.java".to_owned(),
            repeat(
                "import com.openai.client.OpenAIClient;\nclass Main {\n  void run(OpenAIClient c, Object r) {\n",
                unit,
                "  }\n}\n",
            ),
        )]
    }),
    ("java-own-interface", || {
        let unit = |at: usize| {
            format!(
                "class T{at} implements Asker {{ OpenAIClient c; Asker next; public Object ask(Object q) {{ return c.responses().create(next.ask(q)); }} }}\n"
            )
        };
        vec![(
            "src/Main.java".to_owned(),
            repeat(
                "import com.openai.client.OpenAIClient;\ninterface Asker { Object ask(Object q); }\n",
                unit,
                "",
            ),
        )]
    }),
    ("java-own-small-files", || {
        small(|at, other| {
            (
                format!("src/main/java/p{at}/Asker.java"),
                format!(
                    "package p{at};\nimport p{other}.*;\nimport p{other}.Asker;\nimport com.openai.client.OpenAIClient;\nclass Asker {{ OpenAIClient c; Asker next;\n"
                ),
                "Object ask(Object q) { return c.responses().create(next.ask(q)); }\n".to_owned(),
            )
        })
    }),
    ("kt-own-calls", || {
        let unit = |at: usize| {
            format!(
                "suspend fun f{at}(q: String): Any = runCatching {{ c.responses().create(f{}(q)) }}.getOrNull()\n",
                at / 2
            )
        };
        vec![(
            "Main.kt".to_owned(),
            repeat(
                "import com.openai.client.OpenAIClient\nval c: OpenAIClient = make()\n",
                unit,
                "",
            ),
        )]
    }),
    ("kt-own-one-class", || {
        let unit = "class A(val c: OpenAIClient) : A { fun f(q: String) { r = c.responses().create(f(r)) } }\n";
        vec![(
            "Main.kt".to_owned(),
            repeat("import com.openai.client.OpenAIClient\n", |_| unit.to_owned(), ""),
        )]
    }),
    ("cs-own-calls", || {
        let unit = |at: usize| {
            format!(
                "  async Task<object> F{at}(object q) {{ try {{ return await c.CompleteChatAsync(await F{}(q)); }} catch (Exception e) {{ logger.LogError(e, \"failed\"); }} }}\n",
                at / 2
            )
        };
        vec![(
            "Main.cs".to_owned(),
            repeat(
                "using OpenAI.Chat;\nclass A {\n  ChatClient c = new ChatClient(\"gpt-4o\");\n",
                unit,
                "}\n",
            ),
        )]
    }),
    ("cs-own-parts", || {
        let unit = |at: usize| {
            format!(
                "partial class A {{ ChatClient c{at}; object F{at}(object q) => c{}.CompleteChat(q); }}\n",
                at / 2
            )
        };
        vec![("Main.cs".to_owned(), repeat("using OpenAI.Chat;\n", unit, ""))]
    }),
    ("cs-own-usings", || {
        let unit = |at: usize| format!("using A{at};\n");
        vec![(
            "Main.cs".to_owned(),
            repeat(
                "using OpenAI.Chat;\n",
                unit,
                &repeat_to(120_000, |at| {
                    format!("class C{at} {{ void M() {{ N{at}(new ChatClient(\"m\").CompleteChat(O{at})); }} }}\n")
                }),
            ),
        )]
    }),
    ("sh-own-functions", || {
        let unit = |at: usize| {
            format!(
                "f{at}() {{\n  r=$(curl -s https://api.openai.com/v1/chat/completions -d \"$(f{} \"$r\")\") || log \"failed\"\n}}\n",
                at / 2
            )
        };
        vec![("run.sh".to_owned(), repeat("#!/bin/sh\n", unit, "f1\n"))]
    }),
    ("sh-own-addresses", || {
        vec![(
            "run.sh".to_owned(),
            repeat(
                "curl ",
                |at| format!("http://h{at}/v1/chat/completions "),
                "-d '{\"messages\": []}'\n",
            ),
        )]
    }),
    ("ipynb-own-cells", || {
        let unit = |at: usize| {
            format!(
                "{{\"cell_type\":\"code\",\"metadata\":{{}},\"outputs\":[],\"source\":[\"r{} = c.responses.create(model='m', input=r{at})\\n\",\"print(r{at})\"]}},\n",
                at + 1
            )
        };
        let head = "{\"nbformat\":4,\"nbformat_minor\":5,\"metadata\":{\"language_info\":{\"name\":\"python\"}},\"cells\":[{\"cell_type\":\"code\",\"metadata\":{},\"outputs\":[],\"source\":[\"import openai\\n\",\"c = openai.OpenAI()\"]},\n";
        vec![(
            "app.ipynb".to_owned(),
            repeat(
                head,
                unit,
                "{\"cell_type\":\"markdown\",\"metadata\":{},\"source\":[]}]}",
            ),
        )]
    }),
    ("json-own-lock", || {
        let unit = |at: usize| {
            format!(
                "\"node_modules/p{at}\":{{\"version\":\"1.0.{at}\",\"dependencies\":{{\"p{}\":\"^1.0.0\",\"openai\":\"4\"}}}},\n",
                at / 2
            )
        };
        with_call(
            "package-lock.json",
            repeat(
                "{\"lockfileVersion\":3,\"packages\":{\"\":{\"dependencies\":{\"openai\":\"^4\"}},\n",
                unit,
                "\"node_modules/openai\":{\"version\":\"4.0.0\"}}}",
            ),
        )
    }),
    ("json-own-manifest", || {
        let unit = |at: usize| format!("\"openai-{at}\": \"^1.0.{at}\",\n");
        with_call(
            "package.json",
            repeat("{\"name\":\"a\",\"dependencies\":{\n", unit, "\"openai\":\"^4\"}}"),
        )
    }),
    ("txt-own-requirements", || {
        with_call(
            "requirements.txt",
            repeat(
                "openai==1.0\n",
                |at| format!("langchain-{at}>=1.{at},<2 ; python_version > '3.{at}'\n"),
                "",
            ),
        )
    }),
    ("md-own-claims", || {
        let unit = |at: usize| {
            format!(
                "## {at}. Risk management\n\nWe log all AI decisions, a human reviews every answer, and GPT-4 is hosted in the EU; see [part {at}](#{at}).\n\n"
            )
        };
        with_call("README.md", repeat("# AI system\n\n", unit, ""))
    }),
    ("md-own-tables", || {
        with_call(
            "docs/MODEL_CARD.md",
            repeat(
                "# Model card\n\n| a | b |\n| - | - |\n",
                |at| format!("| accuracy {at} | 0.{at} | GPT-4 | `x` |\n"),
                "",
            ),
        )
    }),
    ("env-own-keys", || {
        with_call(
            ".env",
            repeat("", |at| format!("OPENAI_API_KEY_{at}=sk-proj-{at:040}AbCdEfGhIj\n"), ""),
        )
    }),
    ("html-own-notices", || {
        with_call(
            "templates/index.html",
            repeat(
                "<html><body>\n",
                |at| {
                    format!(
                        "<p class=\"a{at}\">You are chatting with an AI</p><img src=\"a{at}.png\"><input name=\"cv{at}\">\n"
                    )
                },
                "</body></html>",
            ),
        )
    }),
    ("yaml-own-workflow", || {
        with_call(
            ".github/workflows/ci.yml",
            repeat(
                "on: push\njobs:\n",
                |at| {
                    format!(
                        "  j{at}:\n    runs-on: ubuntu\n    steps:\n      - run: pytest --cov tests/test_model_{at}.py\n"
                    )
                },
                "",
            ),
        )
    }),
    ("toml-own-lock", || {
        let unit = |at: usize| {
            format!(
                "[[package]]\nname = \"p{at}\"\nversion = \"1.0.{at}\"\ndependencies = [\"p{}\", \"openai\"]\n\n",
                at / 2
            )
        };
        with_call("Cargo.lock", repeat("version = 4\n\n", unit, ""))
    }),
];

const PY: &str = "import openai\nc = openai.OpenAI()\n";
const TS: &str = "import OpenAI from 'openai';\nconst c = new OpenAI();\n";
const GO: &str = "package main\n\nimport (\n\t\"net/http\"\n\t\"github.com/openai/openai-go\"\n)\n\n";
const RS: &str = "use async_openai::Client;\n";

fn python(text: &str) -> Vec<(String, String)> {
    vec![("app.py".to_owned(), text.to_owned())]
}

fn script(text: &str) -> Vec<(String, String)> {
    vec![("app.ts".to_owned(), text.to_owned())]
}

fn go(text: &str) -> Vec<(String, String)> {
    vec![("main.go".to_owned(), text.to_owned())]
}

fn rust(text: &str) -> Vec<(String, String)> {
    vec![("src/main.rs".to_owned(), text.to_owned())]
}

/// A file beside a program that uses a model, so that all that is said of systems is looked for.
fn with_call(path: &str, text: String) -> Vec<(String, String)> {
    let program = "import openai\nopenai.OpenAI().responses.create(model='gpt-4.1', input='x')\n";
    vec![(path.to_owned(), text), ("app.py".to_owned(), program.to_owned())]
}

/// What stands first, numbered parts up to the length, and what stands last.
fn repeat(first: &str, unit: impl Fn(usize) -> String, last: &str) -> String {
    let mut out = first.to_owned();
    out.push_str(&repeat_to(BYTES.saturating_sub(first.len() + last.len()), unit));
    out.push_str(last);
    out
}

fn repeat_to(bytes: usize, unit: impl Fn(usize) -> String) -> String {
    let mut out = String::with_capacity(bytes);
    for number in 0.. {
        let part = unit(number);
        if out.len() + part.len() > bytes {
            break;
        }
        out.push_str(&part);
    }
    out
}

/// Calls of a model in the arguments of calls of a model.
fn nested(depth: usize) -> String {
    let open = "c.responses.create(model='m', input=".repeat(depth);
    format!("{open}q{}", ")".repeat(depth))
}

fn nested_script(depth: usize) -> String {
    let open = "c.responses.create({ model: 'm', input: ".repeat(depth);
    format!("{open}q{}", " })".repeat(depth))
}

/// A tree of small files. Each has a path and a head, which are told by its number and that of another, and repeats a line.
fn small(file: impl Fn(usize, usize) -> (String, String, String)) -> Vec<(String, String)> {
    let count = BYTES / SMALL;
    (0..count)
        .map(|at| {
            let (path, mut text, line) = file(at, (at * 7 + 1) % count);
            while text.len() + line.len() < SMALL {
                text.push_str(&line);
            }
            (path, text)
        })
        .collect()
}

//! Duties that show in the interface: name and contact, accessibility, marking.

use std::collections::BTreeMap;

use engine_model::{
    CheckContext, DependencyRelation, DocumentState, EvidenceKind, Location, Package, Report, Statement, StatementKind,
    System, declare_check,
};

use super::subject::{document, documents, has_section, said_of, speaks_of};
use crate::interface::{IN_FORM, USED, WHOLE_PAGE};

declare_check! {
    /// User interface without provider contact.
    ///
    /// Art. 16(b) requires the provider of a high-risk system to put its name and address on the system, its packaging or its documents. Evidence is
    /// an imprint, a contact page, a mail address in the footer, or a contact in the documentation or in the instructions for use. A name alone
    /// (next to a copyright, in a licence, or as author in a manifest) is not evidence, but then no gap is reported. The imprint can also be in a
    /// page frame outside this project; docs/confidence.md gives the accuracy of the check.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- web/index.html
    /// <!doctype html>
    /// <html lang="en">
    /// <body>
    /// <main>
    /// <h1>Ranking of applicants</h1>
    /// <form action="/applicants/rank" method="post">
    /// <label for="cv">CV</label><textarea id="cv" name="cv"></textarea>
    /// <button>Rank</button>
    /// </form>
    /// </main>
    /// <footer>Internal tool</footer>
    /// </body>
    /// </html>
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- web/index.html
    /// <!doctype html>
    /// <html lang="en">
    /// <body>
    /// <main>
    /// <h1>Ranking of applicants</h1>
    /// <form action="/applicants/rank" method="post">
    /// <label for="cv">CV</label><textarea id="cv" name="cv"></textarea>
    /// <button>Rank</button>
    /// </form>
    /// </main>
    /// <footer><a href="/imprint">Imprint</a></footer>
    /// </body>
    /// </html>
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- web/src/Request.tsx
    /// const CONTACT_EMAIL = "desk@brightwater.org";
    /// export const Request = () => <section><p>Write to {CONTACT_EMAIL}</p></section>;
    /// ```
    /// Reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- web/src/app/page.tsx
    /// export default function Page() { return <main><h1>Applicants</h1><a href="/contact">Support</a></main>; }
    /// ```
    NAMELESS_INTERFACE {
        id: "l1-nameless-interface",
        layer: L1,
        obligation: "OBL-048",
        evidence: "Contact for the system found",
        severity: Low,
        impact: Prepares,
        fix: "Show the name, address and contact of the provider in the interface or its documentation.",
        fixable: false,
        run: nameless,
    }
}

fn nameless(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        if is_notebooks(system) {
            continue;
        }
        let contacts = said_of(context, StatementKind::Contact, system);
        // A link names nobody where it stands; an address does.
        if let Some(contact) = contacts
            .iter()
            .find(|contact| contact.value.contains('@') || contact.value == "[at]")
        {
            seen(
                report.pass(60, "a contact for the system is given"),
                contact,
                system,
                EvidenceKind::Document,
            );
            continue;
        }
        if contacts.iter().any(|contact| leads_somewhere(context, &contact.value)) {
            continue;
        }
        // Who is named can be found, be it without an address.
        if !said_of(context, StatementKind::Responsible, system).is_empty() {
            continue;
        }
        if has_section(context, system, "instructions-for-use", "provider_identity") {
            if let Some(document) = documents(context, "instructions-for-use").next() {
                report
                    .pass(65, "the instructions for use name the provider and a contact")
                    .system(system)
                    .at(Location::line(document.file.clone(), document.line))
                    .anchor("instructions")
                    .evidence(
                        EvidenceKind::Document,
                        document.kind.clone(),
                        &document.file,
                        document.line,
                    );
            }
            continue;
        }
        let mut pages = said_of(context, StatementKind::Page, system);
        pages.retain(|page| !is_helper(&page.file));
        pages.sort_by_key(|page| standing(page));
        if let Some(page) = pages.first() {
            let builder = report.fail(
                80,
                "no provider with a contact was found in this user interface or in a document of the project",
            );
            match frame(context, &page.file) {
                Some(file) => {
                    builder
                        .system(system)
                        .at(Location::line(file, 1))
                        .anchor(format!("{:?}", page.kind))
                        .evidence(EvidenceKind::Code, format!("{:?}", page.kind), &page.file, page.line);
                }
                None => seen(builder, page, system, EvidenceKind::Code),
            }
        }
    }
}

/// What a page is to those who use the interface: the frame of all pages first, then a page of its own, and last what is seen by few
/// or in passing. Equal ones by how deep they lie.
fn standing(page: &Statement) -> (u8, bool, usize, &str, u32) {
    let path = page.file.as_str();
    let lower = path.to_ascii_lowercase();
    let mut parts = lower.rsplit('/');
    let stem = parts.next().and_then(|name| name.split('.').next()).unwrap_or_default();
    let aside = parts.any(|folder| {
        let folder = folder.trim_matches(['(', ')', '[', ']', '_', '-']);
        matches!(
            folder,
            "admin" | "components" | "modals" | "ui" | "partials" | "emails" | "storybook"
        )
    }) || ASIDE.iter().any(|word| stem.contains(word));
    let rank = match stem {
        _ if aside => 3,
        "layout" | "+layout" | "base" | "app" | "_app" | "_document" | "main" | "index" => 0,
        "page" | "+page" | "home" => 1,
        _ => 2,
    };
    (
        rank,
        page.value != WHOLE_PAGE,
        path.matches('/').count(),
        path,
        page.line,
    )
}

/// Words in the names of pages that people see in passing, or as a part of others.
const ASIDE: [&str; 13] = [
    "error",
    "not-found",
    "notfound",
    "404",
    "500",
    "loading",
    "modal",
    "dialog",
    "popup",
    "login",
    "register",
    "signup",
    "offline",
];

/// The frame of a web application, where its pages are parts that a file without markup of its own puts together.
fn frame(context: &CheckContext<'_>, part: &str) -> Option<String> {
    let source = part.split_once("/components/").map(|(source, _)| source)?;
    [
        "pages/_app",
        "pages/_document",
        "app/layout",
        "pages/index",
        "App",
        "main",
    ]
    .iter()
    .flat_map(|name| ["tsx", "jsx", "js", "ts"].map(|ending| format!("{source}/{name}.{ending}")))
    .find(|path| context.product_files().any(|file| file.path == *path))
}

/// Whether a page lies among the tools of those who run the system: no customer sees it.
fn is_helper(path: &str) -> bool {
    path.split('/').rev().skip(1).any(|part| {
        matches!(
            part,
            "scripts" | "script" | "tools" | "tooling" | "dev" | "debug" | "maintenance" | "bin"
        )
    })
}

/// Whether a system lives in notebooks only: the pages of the tree are those of another.
fn is_notebooks(system: &System) -> bool {
    !system.files.is_empty()
        && system
            .files
            .iter()
            .all(|file| file.rsplit_once('.').is_some_and(|(_, ending)| ending == "ipynb"))
}

/// Whether a link leads to a page of the tree, where its pages are files: a link alone names nobody.
fn leads_somewhere(context: &CheckContext<'_>, href: &str) -> bool {
    let Some(path) = href.strip_prefix('/').filter(|path| !path.starts_with('/')) else {
        return true;
    };
    let segment = path.split(['?', '#']).next().unwrap_or(path).trim_end_matches('/');
    let routed = |file: &str| {
        let name = file.rsplit('/').next().unwrap_or(file);
        name.starts_with("page.") || name.starts_with("+page.")
    };
    let by_files = context.product_files().any(|file| routed(&file.path));
    !by_files
        || context.product_files().any(|file| {
            routed(&file.path)
                && file
                    .path
                    .rsplit_once('/')
                    .is_some_and(|(folder, _)| folder == segment || folder.ends_with(&format!("/{segment}")))
        })
}

/// Names the place of a statement about a system.
fn seen(builder: engine_model::ObservationBuilder<'_>, at: &Statement, system: &System, kind: EvidenceKind) {
    builder
        .system(system)
        .at(Location::line(at.file.clone(), at.line))
        .anchor(format!("{:?}", at.kind))
        .evidence(kind, format!("{:?}", at.kind), &at.file, at.line);
}

declare_check! {
    /// Accessibility faults in the user interface.
    ///
    /// Art. 16(l) requires providers of high-risk systems to meet the accessibility requirements of Directives (EU) 2016/2102 and 2019/882. The check
    /// covers three faults in the source of pages. A field has no name for screen readers (a placeholder counts as a name, as in browsers). A page
    /// does not declare its language. A chat does not announce new messages. Accessibility tests are evidence. The absence of these faults is not
    /// evidence, since most faults are not visible in the source.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- web/index.html
    /// <!doctype html>
    /// <html>
    /// <body>
    /// <main>
    /// <h1>Ranking of applicants</h1>
    /// <form action="/applicants/rank" method="post">
    /// <p>CV</p><textarea name="cv"></textarea>
    /// <button>Rank</button>
    /// </form>
    /// </main>
    ///
    /// </body>
    /// </html>
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- web/index.html
    /// <!doctype html>
    /// <html lang="en">
    /// <body>
    /// <main>
    /// <h1>Ranking of applicants</h1>
    /// <form action="/applicants/rank" method="post">
    /// <label for="cv">CV</label><textarea id="cv" name="cv"></textarea>
    /// <button>Rank</button>
    /// </form>
    /// </main>
    ///
    /// </body>
    /// </html>
    /// ```
    INACCESSIBLE_INTERFACE {
        id: "l1-inaccessible-interface",
        layer: L1,
        obligation: "OBL-050",
        evidence: "Accessibility tests found",
        severity: Medium,
        impact: Prepares,
        fix: "Give each field a label, each page a language and the message list `role=\"log\"`. Test accessibility in the pipeline.",
        fixable: false,
        run: inaccessible,
    }
}

/// Parts of the names of packages that test accessibility.
const TESTERS: &[&str] = &[
    "axe-core",
    "jest-axe",
    "vitest-axe",
    "cypress-axe",
    "pa11y",
    "jsx-a11y",
    "vuejs-accessibility",
    "axe-playwright",
    "@axe-core/",
    "addon-a11y",
    "lighthouse",
];

fn inaccessible(context: &CheckContext<'_>, report: &mut Report) {
    // A linter brings such packages along without anybody having asked for them.
    let is_tester = |package: &&Package| {
        package.relation == DependencyRelation::Direct && TESTERS.iter().any(|part| package.name.contains(part))
    };
    let testers: Vec<&Package> = context.inventory.packages.iter().filter(is_tester).collect();
    for system in context.systems {
        if is_notebooks(system) || said_of(context, StatementKind::Page, system).is_empty() {
            continue;
        }
        let steps = said_of(context, StatementKind::AccessibilityTest, system);
        let tester = testers.iter().find(|package| speaks_of(context, &package.file, system));
        if let Some(step) = steps.first() {
            seen(
                report.pass(65, "the pipeline tests accessibility"),
                step,
                system,
                EvidenceKind::Configuration,
            );
        } else if let Some(package) = tester {
            let line = package.line.unwrap_or(1);
            report
                .pass(55, format!("`{}` tests accessibility", package.name))
                .system(system)
                .at(Location::line(package.file.clone(), line))
                .anchor(package.name.clone())
                .evidence(EvidenceKind::Dependency, package.purl.clone(), &package.file, line);
        }
        let announced = !said_of(context, StatementKind::LiveRegion, system).is_empty();
        let chats = if announced {
            Vec::new()
        } else {
            said_of(context, StatementKind::ChatInterface, system)
        };
        let mut unnamed = said_of(context, StatementKind::PageWithoutLanguage, system);
        // A page that is only looked at loses little by it.
        unnamed.retain(|page| page.value == USED || is_spoken_with(context, page));
        unnamed.sort_by_key(|page| standing(page));
        let fields = fields(said_of(context, StatementKind::UnlabelledField, system));
        for (found, confidence, message) in [
            (
                &fields,
                79,
                "a field has no associated label and no other name for screen readers",
            ),
            (&unnamed, 84, "the page does not declare its language"),
            (
                &chats,
                60,
                "new chat messages are not announced to screen readers: no live region and no `role=\"log\"` was found",
            ),
        ] {
            let Some(place) = found.first() else { continue };
            let mut builder = report
                .fail(confidence, message)
                .system(system)
                .at(Location::line(place.file.clone(), place.line))
                .anchor(format!("{:?}", place.kind));
            for place in found.iter().take(PLACES_MAX) {
                builder = builder.evidence(EvidenceKind::Code, format!("{:?}", place.kind), &place.file, place.line);
            }
        }
    }
}

/// Whether a page is one on which people talk with an AI.
fn is_spoken_with(context: &CheckContext<'_>, page: &Statement) -> bool {
    context.statements.iter().any(|said| {
        said.file == page.file && matches!(said.kind, StatementKind::ChatInterface | StatementKind::AiNamed)
    })
}

/// The fields of forms, and those of files with more than one of them: a single field elsewhere is a detail of a part. A field in a
/// folder of building blocks gets its label where it is used.
fn fields(found: Vec<&Statement>) -> Vec<&Statement> {
    let mut by_file: BTreeMap<&str, usize> = BTreeMap::new();
    for field in &found {
        *by_file.entry(&field.file).or_default() += 1;
    }
    found
        .into_iter()
        .filter(|field| field.value == IN_FORM || by_file.get(field.file.as_str()).is_some_and(|count| *count > 1))
        .filter(|field| !field.file.contains("components/ui/"))
        .collect()
}

/// Places that one finding names.
const PLACES_MAX: usize = 20;

declare_check! {
    /// CE marking not found.
    ///
    /// Art. 48 requires a CE marking on a high-risk system, in digital form if the system is provided digitally. The check reports a gap only if
    /// the project contains a declaration of conformity, since a marking is not due before.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- web/index.html
    /// <!doctype html>
    /// <html lang="en">
    /// <body>
    /// <main>
    /// <h1>Ranking of applicants</h1>
    /// <form action="/applicants/rank" method="post">
    /// <label for="cv">CV</label><textarea id="cv" name="cv"></textarea>
    /// <button>Rank</button>
    /// </form>
    /// </main>
    /// <footer>Brightwater Energy, <a href="/imprint">Imprint</a></footer>
    /// </body>
    /// </html>
    /// //- docs/declaration.md
    /// # EU declaration of conformity
    ///
    /// For the AI system that ranks applicants, version 2.
    ///
    /// ## Provider
    ///
    /// Brightwater Energy, Hafenstrasse 12, Hamburg, screening@brightwater.example, weekdays from 8 to 18.
    ///
    /// ## Statement of sole responsibility
    ///
    /// This declaration is issued under the sole responsibility of the provider that is named above.
    ///
    /// ## Conformity statement
    ///
    /// The system meets Regulation (EU) 2024/1689 in the version that applies on the date of this declaration.
    ///
    /// ## Place, date and signature
    ///
    /// Hamburg, 2027-11-02, A. Brandt, head of products, for Brightwater Energy.
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- web/index.html
    /// <!doctype html>
    /// <html lang="en">
    /// <body>
    /// <main>
    /// <h1>Ranking of applicants</h1>
    /// <form action="/applicants/rank" method="post">
    /// <label for="cv">CV</label><textarea id="cv" name="cv"></textarea>
    /// <button>Rank</button>
    /// </form>
    /// </main>
    /// <footer>Brightwater Energy, <a href="/imprint">Imprint</a> <img src="/ce-mark.svg" alt="CE marking"></footer>
    /// </body>
    /// </html>
    /// //- docs/declaration.md
    /// # EU declaration of conformity
    ///
    /// For the AI system that ranks applicants, version 2.
    ///
    /// ## Provider
    ///
    /// Brightwater Energy, Hafenstrasse 12, Hamburg, screening@brightwater.example, weekdays from 8 to 18.
    ///
    /// ## Statement of sole responsibility
    ///
    /// This declaration is issued under the sole responsibility of the provider that is named above.
    ///
    /// ## Conformity statement
    ///
    /// The system meets Regulation (EU) 2024/1689 in the version that applies on the date of this declaration.
    ///
    /// ## Place, date and signature
    ///
    /// Hamburg, 2027-11-02, A. Brandt, head of products, for Brightwater Energy.
    /// ```
    CE_MARKING {
        id: "l1-no-ce-marking",
        layer: L1,
        obligation: "OBL-090",
        evidence: "CE marking found",
        severity: Low,
        impact: Prepares,
        fix: "Show the CE marking where users of the system see it, or through an easily accessible machine-readable code.",
        fixable: false,
        run: ce_marking,
    }
}

fn ce_marking(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        if let Some(mark) = said_of(context, StatementKind::CeMarking, system)
            .into_iter()
            .find(|mark| document(context, &mark.file).is_none_or(|document| document.state != DocumentState::Scaffold))
        {
            seen(
                report.pass(65, "a CE marking is shown"),
                mark,
                system,
                EvidenceKind::Code,
            );
            continue;
        }
        let Some(declaration) = documents(context, "declaration-of-conformity")
            .find(|declaration| !declaration.draft && speaks_of(context, &declaration.file, system))
        else {
            continue;
        };
        report
            .fail(
                60,
                "a declaration of conformity was found, but no CE marking in a user interface or a document",
            )
            .system(system)
            .at(Location::line(declaration.file.clone(), declaration.line))
            .anchor("declaration")
            .evidence(
                EvidenceKind::Document,
                declaration.kind.clone(),
                &declaration.file,
                declaration.line,
            );
    }
}

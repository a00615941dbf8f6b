//! Routes of a web project by the places of their files that none of its pages asks for, while it asks for others.
//!
//! `app/api/ask/route.ts`, `pages/api/ask.ts` and `server/api/ask.post.ts` answer `/api/ask`. A route is asked for wherever its last step stands
//! in a text behind a slash or in quotes; what answers others than the own pages is asked for by them.

use std::collections::BTreeSet;

use crate::mentions::{Kind, Mentioned, Token};
use crate::project::is_script;
use crate::world::World;

/// A project of more is looked at no further.
const ROUTES_MAX: usize = 200;

/// Shorter steps stand for too much.
const STEP_CHARS_MIN: usize = 4;

/// Steps of routes that somebody else asks for, or a library of the page by a name that stands nowhere.
const FOR_OTHERS: [&str; 31] = [
    "webhook",
    "webhooks",
    "hook",
    "hooks",
    "cron",
    "callback",
    "public",
    "external",
    "v1",
    "v2",
    "v3",
    "auth",
    "oauth",
    "inngest",
    "trpc",
    "graphql",
    "mcp",
    "slack",
    "telegram",
    "whatsapp",
    "twilio",
    "discord",
    "bot",
    "line",
    "jobs",
    "queue",
    "tasks",
    "chat",
    "completion",
    "completions",
    "copilotkit",
];

/// The routes of a tree, with the numbers of what is searched for.
#[derive(Default)]
pub(super) struct Routes<'m> {
    all: Vec<Route<'m>>,
    /// What a path that is put together begins with.
    open: Option<usize>,
}

struct Route<'m> {
    path: &'m str,
    root: &'m str,
    token: usize,
    is_for_others: bool,
}

impl<'m> Routes<'m> {
    /// The routes of a tree of which something can be said.
    pub(super) fn new(world: &World<'m>, candidates: &BTreeSet<&str>, mut add: impl FnMut(Token) -> usize) -> Self {
        let found: Vec<(&'m str, &'m str, &'m str, bool)> = (0..crate::values::id(world.units.len()))
            .map(|unit| world.unit(unit))
            .filter(|unit| is_script(unit.language))
            .filter_map(|unit| {
                let (root, step, is_for_others) = route(unit.path)?;
                Some((unit.path, root, step, is_for_others))
            })
            .take(ROUTES_MAX)
            .collect();
        if found.len() < 2 || !found.iter().any(|(path, ..)| candidates.contains(path)) {
            return Self::default();
        }
        let token = |text: &str, own: &str, kind: Kind| Token {
            text: text.to_owned(),
            own: own.to_owned(),
            kind,
        };
        let all = found
            .into_iter()
            .map(|(path, root, step, is_for_others)| Route {
                path,
                root,
                token: add(token(step, path, Kind::Route)),
                is_for_others,
            })
            .collect();
        Self {
            all,
            open: Some(add(token("api", "", Kind::OpenRoute))),
        }
    }

    /// The files of the routes that nothing asks for.
    pub(super) fn unasked(&self, mentioned: &Mentioned) -> BTreeSet<&'m str> {
        if self.open.is_none_or(|token| !mentioned.of(token).is_empty()) {
            return BTreeSet::new();
        }
        let is_asked = |route: &Route<'_>| {
            mentioned
                .of(route.token)
                .iter()
                .any(|place| mentioned.file(place) != route.path)
        };
        // Where no page is seen to ask for any route, how they ask is not understood.
        let understood: BTreeSet<&str> = self
            .all
            .iter()
            .filter(|route| is_asked(route))
            .map(|route| route.root)
            .collect();
        self.all
            .iter()
            .filter(|route| understood.contains(route.root) && !route.is_for_others && !is_asked(route))
            .map(|route| route.path)
            .collect()
    }
}

/// Of a file that answers at a path by its place: the folder of its project, the last step of the path, and whether it answers others.
fn route(path: &str) -> Option<(&str, &str, bool)> {
    let place = ["app/api/", "pages/api/", "server/api/", "routes/api/"];
    let (root, rest) = place.iter().find_map(|place| {
        let at = path.find(place).filter(|at| *at == 0 || path[..*at].ends_with('/'))?;
        Some((&path[..at], &path[at + place.len()..]))
    })?;
    let mut steps: Vec<&str> = rest.split('/').collect();
    let last = steps.pop()?;
    let name = last.split('.').next().unwrap_or(last);
    if !matches!(name, "route" | "index" | "+server") {
        steps.push(name);
    }
    let is_for_others = steps
        .iter()
        .any(|step| FOR_OTHERS.iter().any(|known| known.eq_ignore_ascii_case(step)));
    let step = steps
        .into_iter()
        .rev()
        .find(|step| !step.starts_with(['[', '(', '_']))?;
    (step.len() >= STEP_CHARS_MIN).then_some((root, step, is_for_others))
}

#[cfg(test)]
mod tests {
    use super::route;

    #[test]
    fn a_route_is_told_by_the_place_of_its_file() {
        for (path, wanted) in [
            // Too short a word says nothing.
            ("app/api/ask/route.ts", None),
            (
                "web/src/app/api/story/[id]/route.ts",
                Some(("web/src/", "story", false)),
            ),
            ("pages/api/generate-story.ts", Some(("", "generate-story", false))),
            ("server/api/chat_agent.post.ts", Some(("", "chat_agent", false))),
            ("src/routes/api/story/+server.ts", Some(("src/", "story", false))),
            ("app/api/webhooks/stripe/route.ts", Some(("", "stripe", true))),
            ("app/api/v1/summary/route.ts", Some(("", "summary", true))),
            ("app/story/page.tsx", None),
            ("myapp/api/story.ts", None),
        ] {
            assert_eq!(route(path), wanted, "{path}");
        }
    }
}

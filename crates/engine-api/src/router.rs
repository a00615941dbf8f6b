//! From method and path to a route, or to an answer that helps.

use engine_model::{ErrorCode, Failure};
use http::Method;

use crate::{Route, strict};
use engine_model::closest;

/// Finds routes.
pub struct Router {
    paths: matchit::Router<Vec<&'static Route>>,
    routes: &'static [Route],
}

/// What was found.
#[derive(Debug)]
pub enum Found {
    /// A route with the parameters of its path, still percent-encoded.
    Route(&'static Route, Vec<(String, String)>),
    /// `OPTIONS` of a path: the methods it has.
    Options(String),
}

/// Paths that published clients call and no route serves, with what to do instead. The answer is plain text, as on deprecated paths.
const UNSERVED: [(&str, &str); 7] = [
    (
        "/supply-chain",
        "use GET /sbom for the bill of materials with its AI components",
    ),
    (
        "/supply-chain/models",
        "use GET /sbom for the models that the project uses",
    ),
    (
        "/cert/test/adversarial",
        "use POST /redteam/run with `agentName` or `target`",
    ),
    (
        "/import/promptfoo",
        "use POST /redteam/run to attack the endpoint itself",
    ),
    (
        "/proxy/start",
        "this engine has no proxy; POST /eval/run evaluates an endpoint",
    ),
    ("/proxy/stop", "this engine has no proxy"),
    (
        "/agent/test-gen",
        "use POST /eval/run to evaluate the endpoint of the agent",
    ),
];

/// Nothing was found.
#[derive(Debug)]
pub struct Miss {
    /// Why, and what is near.
    pub failure: Failure,
    /// The methods of the path, when only the method is wrong.
    pub allow: Option<String>,
    /// Whether the failure is answered as plain text.
    pub text: bool,
}

impl Router {
    /// A router over routes.
    pub fn new(routes: &'static [Route]) -> Self {
        let mut paths = matchit::Router::<Vec<&'static Route>>::new();
        for path in routes.iter().flat_map(Route::paths) {
            let same = routes.iter().filter(|route| route.paths().any(|other| other == path));
            // The path is already there when another of its methods came first.
            let _ = paths.insert(path, same.collect());
        }
        Self { paths, routes }
    }

    /// Finds the route of a request. `HEAD` is answered by the route of `GET`.
    pub fn find(&self, method: &Method, path: &str) -> Result<Found, Box<Miss>> {
        let Ok(matched) = self.paths.at(path) else {
            let unserved = UNSERVED.iter().find(|(unserved, _)| *unserved == path);
            return Err(Box::new(Miss {
                failure: match unserved {
                    Some((path, instead)) => {
                        let details = format!("`{path}` is not a part of this engine; {instead}");
                        Failure::new(ErrorCode::UnknownRoute, details)
                    }
                    None => self.unknown(path),
                },
                allow: None,
                text: unserved.is_some(),
            }));
        };
        let wanted = if method == Method::HEAD { &Method::GET } else { method };
        if let Some(route) = matched.value.iter().find(|route| route.method == wanted) {
            let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
            return Ok(Found::Route(route, matched.params.iter().map(owned).collect()));
        }
        let allow = allow(matched.value);
        if method == Method::OPTIONS {
            return Ok(Found::Options(allow));
        }
        let details = format!(
            "`{}` does not support this method; use one of {allow}",
            strict::shown(path)
        );
        Err(Box::new(Miss {
            failure: Failure::new(ErrorCode::MethodNotAllowed, details),
            allow: Some(allow),
            text: false,
        }))
    }

    fn unknown(&self, path: &str) -> Failure {
        let known = self.routes.iter().map(|route| route.path);
        let mut details = format!("unknown route `{}`", strict::shown(path));
        if let Some((_, path)) = closest(path, known) {
            let methods = self
                .routes
                .iter()
                .filter(|route| route.path == path)
                .collect::<Vec<_>>();
            details.push_str("; did you mean `");
            details.push_str(methods[0].method.as_str());
            details.push(' ');
            details.push_str(path);
            details.push_str("`?");
        } else {
            details.push('.');
        }
        details.push_str(" GET /openapi.json lists all routes.");
        Failure::new(ErrorCode::UnknownRoute, details)
    }
}

fn allow(routes: &[&Route]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for route in routes {
        names.push(route.method.as_str());
        if route.method == Method::GET {
            names.push("HEAD");
        }
    }
    names.push("OPTIONS");
    names.join(", ")
}

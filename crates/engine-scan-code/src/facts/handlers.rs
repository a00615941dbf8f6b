//! Central error handlers of a product for failures that leave a request handler: an advice, an error middleware, a
//! filter.
//!
//! Such a place asks no model and need not be resolved: which failures it takes is told by its text.

use std::collections::BTreeSet;

use engine_model::{FileInfo, Language, Zone};

use crate::CodeFacts;
use crate::modules::Texts;
use crate::project::{is_jvm, is_python, is_script};
use crate::readings::Reading;

/// Files that are read.
const FILES_MAX: usize = 60;
/// The longest that is.
const BYTES_MAX: u64 = 128 * 1024;
/// Names that are kept.
const NAMES_MAX: usize = 200;

/// The failures for which a product has a place of its own.
#[derive(Debug, Default)]
pub(crate) struct Handled {
    /// Names of classes of failures, by the family of their language.
    classes: BTreeSet<(Family, String)>,
    /// Languages in which every failure is taken.
    all: BTreeSet<Family>,
}

/// Languages whose frameworks take failures alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Family {
    Jvm,
    Python,
    Script,
    Dotnet,
}

fn family(language: Language) -> Option<Family> {
    if is_jvm(language) {
        Some(Family::Jvm)
    } else if is_python(language) {
        Some(Family::Python)
    } else if is_script(language) {
        Some(Family::Script)
    } else if language == Language::CSharp {
        Some(Family::Dotnet)
    } else {
        None
    }
}

/// Names of failures that all others are.
const ROOTS: [&str; 6] = [
    "Exception",
    "RuntimeException",
    "Throwable",
    "Error",
    "BaseException",
    "HTTPException",
];

impl Handled {
    /// Whether a failure of one of these names, its own and those of its bases, is taken.
    pub(super) fn takes(&self, language: Language, names: &[&str]) -> bool {
        let Some(family) = family(language) else { return false };
        self.all.contains(&family)
            || names
                .iter()
                .copied()
                .chain(ROOTS[..5].iter().copied())
                .any(|name| self.classes.contains(&(family, name.to_owned())))
    }

    /// Reads the places of a product.
    pub(crate) fn read(files: &[(&FileInfo, &CodeFacts)], texts: &Texts<'_>) -> Self {
        let mut out = Self::default();
        let wanted = files.iter().filter(|(info, facts)| {
            info.zone == Zone::Product
                && info.size <= BYTES_MAX
                && family(info.language).is_some_and(|family| may_take(family, info, facts))
        });
        for (info, _) in wanted.take(FILES_MAX) {
            let Some(family) = family(info.language) else { continue };
            for (_, name) in &texts.said(Reading::Handlers, info).lines {
                if name == ALL {
                    out.all.insert(family);
                } else if out.classes.len() < NAMES_MAX {
                    out.classes.insert((family, name.clone()));
                }
            }
        }
        out
    }

    fn of(&mut self, family: Family, text: &str) {
        let all = match family {
            Family::Jvm => {
                if text.contains("ControllerAdvice") {
                    for rest in text.split("@ExceptionHandler").skip(1) {
                        // What the annotation names, or what the method takes.
                        let head = rest.split('{').take(2).collect::<Vec<_>>().join(" ");
                        let head = if rest.trim_start().starts_with('(') {
                            rest.split(')').next().unwrap_or(rest)
                        } else {
                            head.as_str()
                        };
                        self.add(family, head);
                    }
                }
                for rest in text.split("ExceptionMapper<").skip(1) {
                    self.add(family, rest.split('>').next().unwrap_or(""));
                }
                false
            }
            Family::Python => {
                for call in ["exception_handler(", "errorhandler("] {
                    for rest in text.split(call).skip(1) {
                        self.add(family, rest.split([',', ')']).next().unwrap_or(""));
                    }
                }
                false
            }
            Family::Script => {
                text.contains("@Catch()")
                    || text.contains(".setErrorHandler(")
                    || text.contains(".onError(") && text.contains("Hono")
                    || WRAPPERS.iter().any(|wrapper| text.contains(wrapper)) && text.contains("next")
            }
            Family::Dotnet => {
                text.contains(".UseExceptionHandler(")
                    || text.contains(": IExceptionHandler")
                    || text.contains(": ExceptionFilterAttribute")
                    || text.contains(": IExceptionFilter")
                    || text.contains("RequestDelegate") && text.contains("catch (Exception")
            }
        };
        if all {
            self.all.insert(family);
        }
        if family == Family::Script {
            for rest in text.split("@Catch(").skip(1) {
                self.add(family, rest.split(')').next().unwrap_or(""));
            }
        }
    }

    /// Keeps the names of classes in a piece of code.
    fn add(&mut self, family: Family, code: &str) {
        let names = code
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| word.starts_with(char::is_uppercase));
        for name in names {
            if self.classes.len() < NAMES_MAX {
                self.classes.insert((family, name.to_owned()));
            }
        }
    }
}

/// Stands for every failure.
const ALL: &str = "*";

/// The names of the classes of failures that a text takes, or [`ALL`]; on which lines is of no interest.
pub(crate) fn failures(language: Language, text: &str) -> Vec<(u32, String)> {
    let Some(family) = family(language) else {
        return Vec::new();
    };
    let mut taken = Handled::default();
    taken.of(family, text);
    let all = taken.all.iter().map(|_| ALL.to_owned());
    let names = taken.classes.into_iter().map(|(_, name)| name);
    all.chain(names).map(|name| (0, name)).collect()
}

/// What makes a failure of an asynchronous handler of Express reach its error middleware.
const WRAPPERS: [&str; 5] = [
    "express-async-errors",
    "express-async-handler",
    "asyncHandler",
    "catchAsync",
    "wrapAsync",
];

/// Whether a file may hold such a place, told by what it imports and by its name.
fn may_take(family: Family, info: &FileInfo, facts: &CodeFacts) -> bool {
    let imports = |known: &[&str]| {
        facts
            .imports
            .iter()
            .any(|module| known.iter().any(|known| module.starts_with(known)))
    };
    let name = info.path.rsplit('/').next().unwrap_or("").to_ascii_lowercase();
    let named = |known: &[&str]| known.iter().any(|known| name.contains(known));
    match family {
        Family::Jvm => {
            imports(&[
                "org.springframework.web.bind.annotation",
                "jakarta.ws.rs.ext",
                "javax.ws.rs.ext",
            ]) && named(&["exception", "advice", "error", "handler", "mapper"])
        }
        Family::Python => imports(&["fastapi", "starlette", "flask", "quart"]),
        Family::Script => {
            imports(&["express", "@nestjs/common", "fastify", "hono"])
                && named(&[
                    "app.",
                    "server.",
                    "index.",
                    "main.",
                    "error",
                    "exception",
                    "filter",
                    "async",
                ])
                || named(&["asynchandler", "async-handler", "catchasync"])
        }
        Family::Dotnet => named(&["program.", "startup.", "exception", "error", "middleware"]),
    }
}

#[cfg(test)]
mod tests {
    use engine_model::Language;

    use super::{Family, Handled};

    #[test]
    fn an_advice_takes_what_it_names() {
        let mut handled = Handled::default();
        handled.of(
            Family::Jvm,
            "@RestControllerAdvice class A { @ExceptionHandler(ServiceException.class) Object a(ServiceException e) { } \
             @ExceptionHandler public Object b(LimitException e) { return null; } }",
        );
        assert!(handled.takes(Language::Java, &["ServiceException"]));
        assert!(handled.takes(Language::Kotlin, &["LimitException"]));
        assert!(!handled.takes(Language::Java, &["OtherException"]));
        assert!(!handled.takes(Language::Python, &["ServiceException"]));
        handled.of(
            Family::Python,
            "@app.exception_handler(ModelDown)\nasync def down(request, error): ...",
        );
        assert!(handled.takes(Language::Python, &["ModelDown"]));
        assert!(!handled.takes(Language::Python, &["KeyError"]));
        handled.of(
            Family::Jvm,
            "class B { @ExceptionHandler(OtherException.class) Object a() { } }",
        );
        assert!(!handled.takes(Language::Java, &["OtherException"]));
    }
}

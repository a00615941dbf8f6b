//! Requests declared by an interface that a library implements: Feign, Spring, Quarkus, Micronaut and Refit.

use engine_syntax::Module;
use engine_syntax::ir::{Expr, ExprId};

use crate::addresses::{Proof, judge};
use crate::identity::Identity;
use crate::values::{ExprRef, FunctionRef, Part};
use crate::world::World;

/// How a library has requests declared.
struct Dialect {
    /// The module that the file of the interface brings in.
    module: &'static str,
    /// Annotations of a method that is a request.
    verbs: &'static [&'static str],
    /// An annotation of a method with the path, where the verb does not hold it.
    path: Option<&'static str>,
    /// An annotation of the interface and its arguments with the address; an empty name is the first argument.
    of_class: Option<(&'static str, &'static [&'static str])>,
    /// Calls in any file of the library that are given the address.
    given_to: &'static [&'static str],
    /// Fields that are set to the address in any file of the library.
    set_as: Option<&'static str>,
}

const DIALECTS: [Dialect; 6] = [
    Dialect {
        module: "org.springframework.cloud.openfeign",
        verbs: &["PostMapping", "PutMapping", "RequestMapping"],
        path: None,
        of_class: Some(("FeignClient", &["url"])),
        given_to: &[],
        set_as: None,
    },
    Dialect {
        module: "org.springframework.web.service.annotation",
        verbs: &["PostExchange", "PutExchange", "HttpExchange"],
        path: None,
        of_class: Some(("HttpExchange", &["url", "value", ""])),
        given_to: &["baseUrl"],
        set_as: None,
    },
    Dialect {
        module: "org.eclipse.microprofile.rest.client",
        verbs: &["POST", "PUT"],
        path: Some("Path"),
        of_class: Some(("RegisterRestClient", &["baseUri"])),
        given_to: &["baseUri", "baseUrl"],
        set_as: None,
    },
    Dialect {
        module: "io.micronaut.http",
        verbs: &["Post", "Put"],
        path: None,
        of_class: Some(("Client", &["value", ""])),
        given_to: &[],
        set_as: None,
    },
    Dialect {
        module: "feign",
        verbs: &["RequestLine"],
        path: None,
        of_class: None,
        given_to: &["target"],
        set_as: None,
    },
    Dialect {
        module: "Refit",
        verbs: &["Post", "Put"],
        path: None,
        of_class: None,
        given_to: &["For"],
        set_as: Some("BaseAddress"),
    },
];

impl Dialect {
    fn is_of(&self, module: &Module) -> bool {
        module.imports.iter().any(|import| {
            let rest = import.module.strip_prefix(self.module);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }
}

impl World<'_> {
    /// The request that a method of an interface declares for a library other than Retrofit, and the module of that library.
    pub(crate) fn declared_elsewhere(&self, function: FunctionRef) -> Option<(Identity, &'static str)> {
        let node = self.function(function);
        let module = self.module(function.0);
        if node.decorators.is_empty() || !module.class(node.class?).is_interface {
            return None;
        }
        let dialect = DIALECTS.iter().find(|dialect| dialect.is_of(module))?;
        let verb = node
            .decorators
            .iter()
            .find(|at| annotation(module, **at).is_some_and(|(name, _)| dialect.verbs.contains(&name)))?;
        let path = match dialect.path {
            Some(path) => self.annotation_text(function.0, &node.decorators, path, &["value", ""]),
            None => self.told_by_annotation(function.0, *verb, &["value", "path", "url", ""]),
        };
        // `@RequestLine("POST /v1/chat/completions")`
        let path = path.unwrap_or_default();
        let path = path.strip_prefix("POST ").unwrap_or(&path).trim();
        let class = module.class(node.class?);
        let of_class = dialect
            .of_class
            .and_then(|(name, args)| self.annotation_text(function.0, &class.decorators, name, args));
        let in_front = match dialect.module {
            "org.springframework.cloud.openfeign" => {
                self.annotation_text(function.0, &class.decorators, "FeignClient", &["path"])
            }
            _ => dialect
                .path
                .and_then(|path| self.annotation_text(function.0, &class.decorators, path, &["value", ""])),
        };
        let base = match of_class {
            Some(base) if base.contains("://") => base,
            // A path alone stands behind the address that the client is made with.
            Some(rest) => joined(&self.address_of_clients(dialect, function.0), &rest),
            None => self.address_of_clients(dialect, function.0),
        };
        let base = in_front.map_or(base.clone(), |more| joined(&base, &more));
        let whole = joined(&base, path);
        let parts = [Part::Known(whole.as_str().into())];
        let own = self.unit(function.0).path.to_ascii_lowercase();
        let known = base.contains("://");
        let identity = judge(
            &whole,
            &parts,
            || None,
            || known,
            |proof| matches!(proof, Proof::Named(name) if !known && own.contains(name)),
        )?;
        Some((identity, dialect.module))
    }

    /// The one address that clients of a library are made with; `{}` where there is none, or more than one.
    fn address_of_clients(&self, dialect: &Dialect, of: u32) -> String {
        let mut found: Vec<String> = Vec::new();
        for (unit, other) in (0..).zip(&self.units) {
            let module = other.index.module;
            if other.zone != self.unit(of).zone || !dialect.is_of(module) && unit != of {
                continue;
            }
            let mut add = |values: &[crate::values::Value]| {
                if let Some(base) = self.constant(values)
                    && base.contains("://")
                    && !found.contains(&base)
                {
                    found.push(base);
                }
            };
            for call in &other.index.calls {
                if let Expr::Call { callee, args, .. } = module.expr(*call)
                    && let Expr::Member { name, .. } | Expr::Name(name) = module.expr(*callee)
                    && dialect.given_to.contains(&&**name)
                {
                    for arg in args.iter().take(2) {
                        add(&self.eval(ExprRef(unit, arg.value)));
                    }
                }
            }
            if let Some(field) = dialect.set_as {
                for value in self.set_on_object(ExprRef(unit, ExprId(0)), field).iter() {
                    add(std::slice::from_ref(value));
                }
            }
        }
        match found.as_slice() {
            [one] => one.clone(),
            _ => "{}".to_owned(),
        }
    }

    /// The text that an annotation among several holds.
    fn annotation_text(&self, unit: u32, among: &[ExprId], wanted: &str, args: &[&str]) -> Option<String> {
        let module = self.module(unit);
        let at = among
            .iter()
            .find(|at| annotation(module, **at).is_some_and(|(name, _)| name == wanted))?;
        self.told_by_annotation(unit, *at, args)
    }

    /// The text of an argument of an annotation, with settings in it resolved as far as they are known.
    fn told_by_annotation(&self, unit: u32, at: ExprId, names: &[&str]) -> Option<String> {
        let Expr::Call { args, .. } = self.module(unit).expr(at) else {
            return None;
        };
        let arg = args
            .iter()
            .find(|arg| names.contains(&arg.name.as_deref().unwrap_or("")))?;
        let text = self.constant(&self.eval(ExprRef(unit, arg.value)))?;
        let Some(start) = text.find("${") else {
            return Some(text);
        };
        let rest = &text[start + 2..];
        let end = rest.find('}')?;
        let (name, default) = rest[..end].split_once(':').unwrap_or((&rest[..end], ""));
        let value = self
            .constant(&self.setting(unit, name))
            .unwrap_or_else(|| default.to_owned());
        let value = if value.is_empty() { "{}".to_owned() } else { value };
        Some(format!(
            "{}{value}{}",
            text[..start].trim_end_matches('\\'),
            &rest[end + 1..]
        ))
    }
}

/// The name of an annotation and the node of its call.
fn annotation(module: &Module, at: ExprId) -> Option<(&str, ExprId)> {
    let named = match module.expr(at) {
        Expr::Call { callee, .. } => *callee,
        _ => at,
    };
    match module.expr(named) {
        Expr::Name(name) | Expr::Member { name, .. } => Some((name, at)),
        _ => None,
    }
}

fn joined(base: &str, path: &str) -> String {
    if path.contains("://") || base.is_empty() {
        return path.to_owned();
    }
    if path.is_empty() {
        return base.to_owned();
    }
    format!("{}/{}", base.trim_end_matches('/'), path.trim_start_matches('/'))
}

//! Requests that an interface declares for Retrofit, with the address of the client that it is made from.

use engine_syntax::Module;
use engine_syntax::ir::{Expr, ExprId, Pattern};

use crate::addresses::{Proof, judge};
use crate::identity::Identity;
use crate::values::{ClassRef, ExprRef, FunctionRef, Part};
use crate::world::World;

impl World<'_> {
    /// The request that a method of an interface declares by an annotation, as Retrofit reads it: `@POST("v1/chat/completions")`.
    ///
    /// The address in front of it is given where the interface is made into a client, in any file that brings in the library.
    pub(crate) fn declared_request(&self, function: FunctionRef) -> Option<Identity> {
        self.known_or(&self.known.declared, function, || self.declared_request_now(function))
    }

    fn declared_request_now(&self, function: FunctionRef) -> Option<Identity> {
        let node = self.function(function);
        let module = self.module(function.0);
        if node.decorators.is_empty() || !module.class(node.class?).is_interface || !is_retrofit(module) {
            return None;
        }
        let path = node.decorators.iter().find_map(|decorator| {
            let Expr::Call { callee, args, .. } = module.expr(*decorator) else {
                return None;
            };
            let Expr::Name(verb) = module.expr(*callee) else {
                return None;
            };
            if !matches!(&**verb, "POST" | "GET" | "PUT" | "HTTP") {
                return None;
            }
            let at = args
                .iter()
                .find(|arg| arg.name.is_none() || arg.name.as_deref() == Some("path"))?;
            self.constant(&self.eval(ExprRef(function.0, at.value)))
        })?;
        let ask = |url: &str| {
            let parts = [Part::Known(url.into())];
            judge(url, &parts, || None, || true, |_| false)
        };
        if path.contains("://") {
            return ask(&path);
        }
        let bases = self.retrofit_bases.get_or_init(|| self.find_retrofit_bases());
        let own = self.unit(function.0).path;
        let near = |other: u32| {
            let other = self.unit(other).path;
            own.split('/').zip(other.split('/')).take_while(|(a, b)| a == b).count()
        };
        let made = ClassRef(function.0, node.class?);
        let wanted = self.retrofit_of(made);
        let own_bases: Vec<&RetrofitBase> = match &wanted {
            Some(wanted) => bases.iter().filter(|base| wanted.fits(base)).collect(),
            None => Vec::new(),
        };
        // Whose own address is not told is asked at none of the others.
        let is_untold = wanted.is_some_and(|wanted| wanted.inside.is_some());
        let of_others = own_bases.is_empty() && !is_untold;
        // Of several addresses the one in the nearest folder is meant, and the first of those.
        let mut chosen: Option<(usize, &str)> = None;
        for RetrofitBase { unit, base, .. } in bases
            .iter()
            .filter(|base| of_others || own_bases.iter().any(|own| std::ptr::eq(*own, *base)))
        {
            let near = near(*unit);
            if chosen.is_none_or(|(best, _)| near > best) {
                chosen = Some((near, base));
            }
        }
        let base = chosen.map_or("{}", |(_, base)| base);
        let at = |base: &str| format!("{}/{}", base.trim_end_matches('/'), path.trim_start_matches('/'));
        ask(&at(base)).or_else(|| {
            // An address that only the operator knows: the path tells, or the package that is named after the server.
            let named = |name: &str| own.to_ascii_lowercase().contains(name);
            let whole = at("{}");
            let parts = [Part::Known(whole.as_str().into())];
            judge(
                &whole,
                &parts,
                || None,
                || false,
                |proof| matches!(proof, Proof::Named(name) if named(name)),
            )
        })
    }

    /// The call that gave a client its address, where a field of the class around holds the client:
    /// `val claude: Retrofit by lazy { Retrofit.Builder().baseUrl(URL).build() }`.
    fn base_of(&self, client: ExprRef) -> Option<ExprRef> {
        let index = self.index(client.0);
        let module = index.module;
        let Expr::Name(name) = module.expr(client.1) else {
            return None;
        };
        let class = index.class_of_scope(index.expr_scope[client.1.0 as usize])?;
        let field = module.class(class).fields.iter().find(|field| field.name == *name)?;
        let held = self.span(ExprRef(client.0, field.value?));
        let mut given = index.calls.iter().filter(|call| {
            let at = self.span(ExprRef(client.0, **call));
            let named = matches!(module.expr(**call), Expr::Call { callee, .. }
                if matches!(module.expr(*callee), Expr::Member { name, .. } if &**name == "baseUrl"));
            named && held.line <= at.line && at.end_line <= held.end_line
        });
        let first = given.next()?;
        given.next().is_none().then_some(ExprRef(client.0, *first))
    }

    /// Addresses that clients of Retrofit are built with.
    fn find_retrofit_bases(&self) -> Vec<RetrofitBase> {
        let mut out = Vec::new();
        for (unit, other) in (0..).zip(&self.units) {
            if !is_retrofit(other.index.module) {
                continue;
            }
            for call in &other.index.calls {
                if let Expr::Call { callee, args, .. } = other.index.module.expr(*call)
                    && matches!(other.index.module.expr(*callee), Expr::Member { name, .. } if &**name == "baseUrl")
                    && let Some(arg) = args.first()
                    && let Some(base) = self.constant(&self.eval(ExprRef(unit, arg.value)))
                {
                    let function = other.index.named_function_of(*call);
                    let decorators =
                        function.map_or(&[][..], |function| &other.index.module.function(function).decorators);
                    out.push(RetrofitBase {
                        unit,
                        base,
                        at: ExprRef(unit, *call),
                        qualifiers: qualifiers(other.index.module, decorators),
                    });
                }
            }
        }
        out
    }

    /// Which client an interface is made from: the one that is built in the same expression, or the one that a parameter asks for by a
    /// qualifier (`@Named("ai") retrofit: Retrofit`).
    fn retrofit_of(&self, class: ClassRef) -> Option<RetrofitWanted> {
        let wanted = self.module(class.0).class(class.1).name.as_deref()?;
        for (unit, other) in (0..).zip(&self.units) {
            if !is_retrofit(other.index.module) {
                continue;
            }
            let module = other.index.module;
            for call in &other.index.calls {
                let Expr::Call { callee, args, .. } = module.expr(*call) else {
                    continue;
                };
                let Expr::Member { object, name } = module.expr(*callee) else {
                    continue;
                };
                if &**name != "create" || !args.first().is_some_and(|arg| names_class(module, arg.value, wanted)) {
                    continue;
                }
                if let Expr::Name(of) = module.expr(*object) {
                    let function = other.index.named_function_of(*call);
                    let mut params = function.iter().flat_map(|function| &module.function(*function).params);
                    let param = params.find(|param| matches!(&param.pattern, Pattern::Name(name) if name == of));
                    if let Some(param) = param {
                        return Some(RetrofitWanted {
                            unit,
                            qualifiers: qualifiers(module, &param.decorators),
                            inside: None,
                        });
                    }
                    // A client of the same object that was built under a name of its own: `claudeRetrofit.create(ClaudeApi::class.java)`.
                    if let Some(inside) = self.base_of(ExprRef(unit, *object)) {
                        return Some(RetrofitWanted {
                            unit,
                            qualifiers: Vec::new(),
                            inside: Some(inside),
                        });
                    }
                } else if let Some(base) = built_with(module, *object) {
                    return Some(RetrofitWanted {
                        unit,
                        qualifiers: Vec::new(),
                        inside: Some(ExprRef(unit, base)),
                    });
                }
            }
        }
        None
    }
}

/// An address that a client of Retrofit is built with.
pub(crate) struct RetrofitBase {
    unit: u32,
    base: String,
    /// Where it is given.
    at: ExprRef,
    /// What tells the client from others: `@Named("ai")`.
    qualifiers: Vec<String>,
}

/// Which client an interface asks for.
struct RetrofitWanted {
    unit: u32,
    qualifiers: Vec<String>,
    /// The call that gives its address, if the same expression builds it.
    inside: Option<ExprRef>,
}

impl RetrofitWanted {
    fn fits(&self, base: &RetrofitBase) -> bool {
        match self.inside {
            Some(inside) => base.at == inside,
            None => base.unit == self.unit && base.qualifiers == self.qualifiers,
        }
    }
}

/// The call in a chain that gives the address: `Retrofit.Builder().baseUrl(…).build()`.
fn built_with(module: &Module, at: ExprId) -> Option<ExprId> {
    let mut at = at;
    for _ in 0..12 {
        match module.expr(at) {
            Expr::Call { callee, .. } => {
                if matches!(module.expr(*callee), Expr::Member { name, .. } if &**name == "baseUrl") {
                    return Some(at);
                }
                at = *callee;
            }
            Expr::Member { object, .. } => at = *object,
            _ => return None,
        }
    }
    None
}

/// Annotations of a function or parameter that tell one client from others.
fn qualifiers(module: &Module, decorators: &[ExprId]) -> Vec<String> {
    let mut out: Vec<String> = decorators
        .iter()
        .filter_map(|decorator| match module.expr(*decorator) {
            Expr::Call { callee, args, .. } => {
                let text = args.first().and_then(|arg| match module.expr(arg.value) {
                    Expr::Str(text) => Some(text.to_string()),
                    _ => None,
                })?;
                matches!(module.expr(*callee), Expr::Name(name) if matches!(&**name, "Named" | "Qualifier"))
                    .then_some(text)
            }
            Expr::Name(name) if !matches!(&**name, "Provides" | "Singleton" | "JvmStatic" | "Bean" | "Inject") => {
                Some(name.to_string())
            }
            _ => None,
        })
        .collect();
    out.sort();
    out
}

/// Whether an expression is the literal of a class: `Api::class.java`, `Api.class`.
fn names_class(module: &Module, at: ExprId, wanted: &str) -> bool {
    class_named(module, at).is_some_and(|name| name == wanted)
}

/// The class of which an expression is the literal.
pub(crate) fn class_named(module: &Module, at: ExprId) -> Option<String> {
    let mut at = at;
    for _ in 0..4 {
        match module.expr(at) {
            Expr::Name(name) => return Some(name.to_string()),
            Expr::Member { object, .. } => at = *object,
            Expr::Other(parts) => at = *parts.first()?,
            _ => return None,
        }
    }
    None
}

/// Whether a file brings in Retrofit.
fn is_retrofit(module: &Module) -> bool {
    module
        .imports
        .iter()
        .any(|import| import.module.starts_with("retrofit2"))
}

//! Classes and modules.

use ecow::{EcoString, eco_format};
use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

use super::{Locals, Lowering};
use crate::ir::{ClassId, Expr, ExprId, Field, Pattern, Stmt, StmtKind};
use crate::lower::builder::{children, field, named_type};

/// What a class does while it is declared, and the names that it hides.
#[derive(Default)]
struct Declaring {
    /// Whether the methods that follow are hidden.
    hidden: bool,
    /// Methods that are hidden by their names.
    by_name: Vec<EcoString>,
    /// What else the class does.
    body: ThinVec<Stmt>,
}

/// Words that give a class fields with methods that read them.
const READERS: [&str; 9] = [
    "attr_reader",
    "attr_accessor",
    "cattr_accessor",
    "cattr_reader",
    "mattr_accessor",
    "mattr_reader",
    "class_attribute",
    "thread_mattr_accessor",
    "delegate_missing_to",
];

impl Lowering<'_> {
    pub(super) fn class_declaration(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let Some(name) = field(node, "name") else { return };
        let written: String = self.b.text_of(name).split_whitespace().collect();
        let written = written.trim_start_matches(':');
        let full = self.inside(written);
        let (within, last) = full.rsplit_once("::").unwrap_or(("", &full));
        let (within, last): (EcoString, EcoString) = (within.into(), last.into());
        let body = field(node, "body");
        let parts = body.map(children).unwrap_or_default();
        let only_holds = node.kind() == "module"
            && !parts.is_empty()
            && parts.iter().all(|part| matches!(part.kind(), "class" | "module"));
        self.spaces.push(full.clone());
        if only_holds {
            for part in parts {
                self.stmt(part, out);
            }
            self.spaces.pop();
            return;
        }
        let base = field(node, "superclass").and_then(|of| children(of).into_iter().next());
        self.class_of(node, (last, within), base, body, out);
        self.spaces.pop();
    }

    /// `Reply = Struct.new(:text) do … end`, `Failed = Class.new(StandardError)`: whether an assignment declares a class.
    pub(super) fn class_by_assignment(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) -> bool {
        let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
            return false;
        };
        let (Some(of), Some(method)) = (field(right, "receiver"), field(right, "method")) else {
            return false;
        };
        let made = matches!(
            (self.b.text_of(of), self.b.text_of(method)),
            ("Struct" | "Class" | "Module", "new") | ("Data", "define")
        );
        if left.kind() != "constant" || right.kind() != "call" || !made {
            return false;
        }
        let name = self.text(left);
        let full = self.inside(&name);
        let within = self.space();
        self.spaces.push(full);
        let is_class = self.b.text_of(of) == "Class";
        let given = field(right, "arguments").map(children).unwrap_or_default();
        let base = given.first().copied().filter(|_| is_class);
        let body = field(right, "block").and_then(|block| field(block, "body"));
        let id = self.class_of(node, (name, within), base, body, out);
        if !is_class {
            for part in given.into_iter().filter(|part| part.kind() == "simple_symbol") {
                let name: EcoString = self.b.text_of(part).trim_start_matches(':').into();
                self.field(part, id, name.clone(), None);
                self.reader(part, id, &name);
            }
        }
        self.spaces.pop();
        true
    }

    fn class_of(
        &mut self,
        node: Node<'_>,
        (name, within): (EcoString, EcoString),
        base: Option<Node<'_>>,
        body: Option<Node<'_>>,
        out: &mut ThinVec<Stmt>,
    ) -> ClassId {
        let span = self.b.span(node);
        let id = self.b.reserve_class(span);
        self.declared.insert(name.clone());
        let class = self.b.class_mut(id);
        class.name = Some(name);
        class.within = within;
        if let Some(base) = base {
            self.base(base, id);
        }
        self.around.push(id);
        self.locals.push(Locals::default());
        let mut nested = ThinVec::new();
        let mut declaring = Declaring::default();
        if let Some(body) = body {
            self.members(body, id, &mut declaring, &mut nested);
        }
        self.locals.pop();
        self.around.pop();
        for method in self.b.module.class(id).methods.clone() {
            let function = self.b.function_mut(method);
            if function
                .name
                .as_ref()
                .is_some_and(|name| declaring.by_name.contains(name))
            {
                function.exported = false;
            }
        }
        if !declaring.body.is_empty() {
            let method = self.b.reserve_function(span);
            let function = self.b.function_mut(method);
            function.name = Some("<clinit>".into());
            function.body = declaring.body;
            function.class = Some(id);
            self.b.class_mut(id).methods.push(method);
        }
        out.push(self.b.stmt(node, StmtKind::Class(id)));
        out.append(&mut nested);
        id
    }

    /// What a class extends or includes.
    fn base(&mut self, node: Node<'_>, id: ClassId) {
        // `class Step < Struct.new(:a)`, `ActiveRecord::Migration[7.1]`
        let named = match node.kind() {
            "element_reference" => field(node, "object").unwrap_or(node),
            "call" => field(node, "receiver").unwrap_or(node),
            _ => node,
        };
        if !matches!(named.kind(), "constant" | "scope_resolution") {
            return;
        }
        self.expr(named);
        let name = self.b.text_of(named).replace("::", ".");
        self.b.class_mut(id).bases.push(named_type(&name));
    }

    fn members(&mut self, body: Node<'_>, id: ClassId, declaring: &mut Declaring, nested: &mut ThinVec<Stmt>) {
        for member in children(body) {
            if !self.b.enter() {
                return;
            }
            match member.kind() {
                "method" | "singleton_method" => {
                    let method = self.method(member, Some(id));
                    let hidden = declaring.hidden && member.kind() == "method";
                    self.b.function_mut(method).exported = !hidden;
                    self.b.class_mut(id).methods.push(method);
                }
                "class" | "module" => self.class_declaration(member, nested),
                "singleton_class" => {
                    let hidden = std::mem::take(&mut declaring.hidden);
                    if let Some(inner) = field(member, "body") {
                        self.members(inner, id, declaring, nested);
                    }
                    declaring.hidden = hidden;
                }
                "assignment" => {
                    if !self.class_by_assignment(member, nested) {
                        self.constant(member, id, declaring);
                    }
                }
                "identifier" => match self.b.text_of(member) {
                    "private" | "protected" => declaring.hidden = true,
                    "public" => declaring.hidden = false,
                    "module_function" => {}
                    "acts_as_chat" => self.talks(member, id, declaring),
                    _ => self.stmt(member, &mut declaring.body),
                },
                "call" => self.macro_call(member, id, declaring, nested),
                "rescue" | "ensure" | "ERROR" => self.members(member, id, declaring, nested),
                _ => self.stmt(member, &mut declaring.body),
            }
            self.b.leave();
        }
    }

    /// A word of a class that is called while it is declared.
    fn macro_call(&mut self, node: Node<'_>, id: ClassId, declaring: &mut Declaring, nested: &mut ThinVec<Stmt>) {
        let name = match (field(node, "receiver"), field(node, "method")) {
            (None, Some(method)) => self.b.text_of(method),
            _ => "",
        };
        let given = field(node, "arguments").map(children).unwrap_or_default();
        let symbols = |this: &Self| -> Vec<EcoString> {
            given
                .iter()
                .filter(|part| matches!(part.kind(), "simple_symbol" | "string"))
                .map(|part| this.b.text_of(*part).trim_matches([':', '"', '\'']).into())
                .collect()
        };
        match name {
            "include" | "extend" | "prepend" => {
                for part in &given {
                    self.base(*part, id);
                }
                // `include Neighbor.with(model: "x")` says more than a name.
                if given.iter().any(|part| part.kind() == "call") {
                    self.stmt(node, &mut declaring.body);
                }
            }
            "private"
            | "protected"
            | "public"
            | "private_class_method"
            | "memoize"
            | "module_function"
            | "private_constant" => {
                let hidden = name != "public" && name != "memoize" && name != "module_function";
                for part in &given {
                    match part.kind() {
                        "method" | "singleton_method" => {
                            let method = self.method(*part, Some(id));
                            self.b.function_mut(method).exported = !hidden;
                            self.b.class_mut(id).methods.push(method);
                        }
                        "call" => self.macro_call(*part, id, declaring, nested),
                        _ => {}
                    }
                }
                if hidden {
                    declaring.by_name.extend(symbols(self));
                }
            }
            "acts_as_chat" => self.talks(node, id, declaring),
            "helper_method" => {}
            _ if READERS.contains(&name) => {
                for name in symbols(self) {
                    self.field(node, id, name.clone(), None);
                    self.reader(node, id, &name);
                }
            }
            "attr_writer" => {
                for name in symbols(self) {
                    self.field(node, id, name, None);
                }
            }
            // What a module does to those that include it, it does itself.
            "included" | "class_methods" | "prepended" => {
                let block = field(node, "block");
                if let Some(inner) = block.and_then(|block| field(block, "body")) {
                    self.members(inner, id, declaring, nested);
                }
            }
            _ => self.stmt(node, &mut declaring.body),
        }
    }

    /// `acts_as_chat`: the rows of the class are talks with a model.
    fn talks(&mut self, node: Node<'_>, id: ClassId, declaring: &mut Declaring) {
        let span = self.b.span(node);
        self.used.entry("RubyLLM::ActsAsChat".into()).or_insert(span);
        self.b.class_mut(id).bases.push(named_type("RubyLLM.ActsAsChat"));
        self.stmt(node, &mut declaring.body);
    }

    /// `MODEL = "gpt-4o"`, `@client = nil` in a class.
    fn constant(&mut self, node: Node<'_>, id: ClassId, declaring: &mut Declaring) {
        let left = field(node, "left");
        let Some(("constant" | "instance_variable" | "class_variable", name)) =
            left.map(|left| (left.kind(), self.text(left)))
        else {
            self.stmt(node, &mut declaring.body);
            return;
        };
        let name: EcoString = name.trim_start_matches('@').into();
        self.declared.insert(name.clone());
        let value = self.expr_in(node, "right");
        self.field(node, id, name, Some(value));
    }

    fn field(&mut self, node: Node<'_>, id: ClassId, name: EcoString, value: Option<ExprId>) {
        let span = self.b.span(node);
        self.b.class_mut(id).fields.push(Field {
            name,
            annotation: None,
            value,
            decorators: ThinVec::new(),
            span,
        });
    }

    /// The name of the class around, as a constant.
    pub(super) fn own_class(&mut self, node: Node<'_>) -> Option<ExprId> {
        let id = self.around.last()?;
        let name = self.b.module.class(*id).name.clone()?;
        Some(self.b.at(node, Expr::Name(name)))
    }

    /// A constant by its full name: `OpenAI::Client` is `Client` of `OpenAI`.
    pub(super) fn constant_path(&mut self, node: Node<'_>) -> ExprId {
        let written: String = self.b.text_of(node).split_whitespace().collect();
        let span = self.b.span(node);
        self.used.entry(written.as_str().into()).or_insert(span);
        let absolute = written.starts_with("::");
        let mut parts = written.trim_start_matches(':').split("::");
        let first = parts.next().unwrap_or_default();
        let first: EcoString = if absolute {
            eco_format!("::{first}")
        } else {
            first.into()
        };
        let mut object = self.b.at(node, Expr::Name(first));
        for name in parts {
            let name = name.into();
            object = self.b.at(node, Expr::Member { object, name });
        }
        object
    }

    /// A pattern for a constant, a field or another place that is set.
    pub(super) fn place_of(&mut self, node: Node<'_>) -> Pattern {
        match node.kind() {
            "identifier" | "constant" => {
                let name = self.text(node);
                if node.kind() == "identifier" {
                    self.declare(&name);
                } else {
                    self.declared.insert(name.clone());
                }
                Pattern::Name(name)
            }
            "global_variable" => Pattern::Name(self.text(node)),
            "call" => {
                let object = self.expr_in(node, "receiver");
                let name = field(node, "method").map(|name| self.text(name)).unwrap_or_default();
                Pattern::Place(self.b.at(node, Expr::Member { object, name }))
            }
            _ => {
                let place = self.expr(node);
                self.b.place(place)
            }
        }
    }

    /// Values as one list.
    pub(super) fn listed(&mut self, node: Node<'_>) -> ExprId {
        let mut values = thin_vec![];
        for part in children(node) {
            let part = match part.kind() {
                "splat_argument" => children(part).into_iter().next().unwrap_or(part),
                _ => part,
            };
            values.push(self.expr(part));
        }
        self.b.at(node, Expr::List(values))
    }
}

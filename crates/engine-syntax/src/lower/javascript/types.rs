//! Types of TypeScript, reduced to names and arguments.

use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

use super::JavaScript;
use crate::ir::TypeRef;
use crate::lower::builder::{children, field, named_type};

impl JavaScript<'_> {
    /// Reads a type: arrays are `Array`, functions `=>` with their result, intersections `&`, object types `{}` with
    /// their properties, each with its type as its argument.
    /// `null` and `undefined` leave a union.
    pub(super) fn type_ref(&mut self, node: Node<'_>) -> TypeRef {
        if !self.b.enter() {
            return named_type("");
        }
        let kind = self.type_inner(node);
        self.b.leave();
        kind
    }

    fn type_list(&mut self, nodes: &[Node<'_>]) -> ThinVec<TypeRef> {
        nodes.iter().map(|node| self.type_ref(*node)).collect()
    }

    fn type_inner(&mut self, node: Node<'_>) -> TypeRef {
        match node.kind() {
            "type_identifier"
            | "identifier"
            | "nested_type_identifier"
            | "predefined_type"
            | "this_type"
            | "literal_type"
            | "member_expression"
            | "nested_identifier"
            | "string"
            | "this" => {
                let text: String = self.b.text_of(node).chars().filter(|ch| !ch.is_whitespace()).collect();
                named_type(&text)
            }
            "generic_type" => {
                let name = field(node, "name").map_or("", |name| self.b.text_of(name));
                let args = field(node, "type_arguments").map(children).unwrap_or_default();
                TypeRef {
                    name: name.into(),
                    args: self.type_list(&args),
                }
            }
            "array_type" => {
                let parts = children(node);
                TypeRef {
                    name: "Array".into(),
                    args: self.type_list(&parts),
                }
            }
            "tuple_type" => {
                let parts = children(node);
                TypeRef {
                    name: "[]".into(),
                    args: self.type_list(&parts),
                }
            }
            "union_type" | "intersection_type" => self.members(node),
            "function_type" | "constructor_type" => {
                let result = field(node, "return_type").or_else(|| field(node, "type"));
                let args = result.map(|result| self.type_ref(result)).into_iter().collect();
                TypeRef {
                    name: "=>".into(),
                    args,
                }
            }
            "object_type" => {
                let args = children(node)
                    .into_iter()
                    .filter(|part| part.kind() == "property_signature")
                    .filter_map(|part| {
                        let name = self.b.text_of(field(part, "name")?).to_owned();
                        let of = self.type_ref(field(part, "type")?);
                        Some(TypeRef {
                            name: name.as_str().into(),
                            args: thin_vec![of],
                        })
                    })
                    .collect();
                TypeRef {
                    name: "{}".into(),
                    args,
                }
            }
            "lookup_type"
            | "type_annotation"
            | "parenthesized_type"
            | "readonly_type"
            | "optional_type"
            | "rest_type"
            | "type_query"
            | "type_arguments"
            | "required_parameter"
            | "optional_parameter"
            | "call_expression"
            | "flow_maybe_type"
            | "opting_type_annotation"
            | "omitting_type_annotation"
            | "adding_type_annotation" => match field(node, "type").or_else(|| node.named_child(0)) {
                Some(inner) => self.type_ref(inner),
                None => named_type(""),
            },
            _ => named_type(""),
        }
    }

    /// The members of a union or intersection, which the grammar nests on the left.
    fn members(&mut self, node: Node<'_>) -> TypeRef {
        let mut nodes = ThinVec::new();
        let mut open = thin_vec![node];
        while let Some(part) = open.pop() {
            if part.kind() == node.kind() {
                open.extend(children(part).into_iter().rev());
            } else {
                nodes.push(part);
            }
        }
        let name = if node.kind() == "union_type" { "|" } else { "&" };
        let mut args = self.type_list(&nodes);
        args.retain(|member| !matches!(&*member.name, "null" | "undefined"));
        match <[TypeRef; 1]>::try_from(args) {
            Ok([only]) => only,
            Err(args) => TypeRef {
                name: name.into(),
                args,
            },
        }
    }
}

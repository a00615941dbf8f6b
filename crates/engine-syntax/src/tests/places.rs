//! Where statements and expressions stand.

use engine_model::Language;

use super::module;
use crate::ir::{Expr, Module, Span};

/// The places of all calls of a member, in the order of the text.
fn calls_of(module: &Module, member: &str) -> Vec<Span> {
    let mut found: Vec<Span> = module
        .exprs
        .iter()
        .filter(|node| {
            let Expr::Call { callee, .. } = &node.kind else {
                return false;
            };
            matches!(module.expr(*callee), Expr::Member { name, .. } if &**name == member)
        })
        .map(crate::ir::ExprNode::span)
        .collect();
    found.sort();
    found
}

#[test]
fn lines_and_columns_count_from_one_in_characters() {
    let lowered = module(Language::Python, "x = 1\ny = 'é', a.run(\n  2)\n");
    let expected = Span {
        line: 2,
        column: 10,
        end_line: 3,
        end_column: 5,
        cell: 0,
    };
    assert_eq!(calls_of(&lowered, "run"), [expected]);
}

#[test]
fn a_byte_order_mark_moves_nothing() {
    let lowered = module(Language::JavaScript, "\u{feff}a.run();");
    assert_eq!(
        calls_of(&lowered, "run"),
        [Span {
            line: 1,
            column: 1,
            end_line: 1,
            end_column: 8,
            cell: 0
        }]
    );
    assert_eq!(lowered.imports, []);
}

#[test]
fn a_notebook_gives_the_lines_of_its_file_and_the_numbers_of_its_cells() {
    let source = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "source": ["# Demo\n"]
  },
  {
   "cell_type": "code",
   "source": [
    "%pip install openai\n",
    "import os\n"
   ]
  },
  {
   "cell_type": "code",
   "outputs": [{"text": ["a\n", "b\n"]}],
   "source": [
    "c = OpenAI()\n",
    "r = c.create(\n",
    "  x)\n",
    "c.create()"
   ]
  }
 ],
 "metadata": {"language_info": {"name": "python"}}
}"##;
    let lowered = module(Language::Notebook, source);
    assert_eq!(lowered.language, Language::Notebook);
    assert_eq!(
        lowered.imports[0].span,
        Span {
            line: 11,
            column: 1,
            end_line: 11,
            end_column: 10,
            cell: 2
        }
    );
    let places: Vec<(u32, u32, u32)> = calls_of(&lowered, "create")
        .iter()
        .map(|span| (span.line, span.end_line, span.cell))
        .collect();
    assert_eq!(places, [(19, 20, 3), (21, 21, 3)]);
}

#[test]
fn a_notebook_on_one_line_maps_everything_to_that_line() {
    let source = r#"{"cells":[{"cell_type":"code","source":["a.run()\n","b.run()"]},{"cell_type":"code","source":"\nc.run()"}]}"#;
    let lowered = module(Language::Notebook, source);
    let places: Vec<(u32, u32)> = calls_of(&lowered, "run")
        .iter()
        .map(|span| (span.line, span.cell))
        .collect();
    assert_eq!(places, [(1, 1), (1, 1), (1, 2)]);
}

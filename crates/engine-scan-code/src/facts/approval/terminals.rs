//! Whether a program asks on its terminal and goes on only after a word of consent.

use engine_syntax::ir::{Expr, ExprId};

use super::{asks, texts_in_args};
use crate::facts::{callee_name, calls_in, object_name, symbols, texts_in};
use crate::values::{ExprRef, FunctionRef, Value};
use crate::world::World;

/// Whether a function asks on the terminal and goes on only after a word of consent.
pub(super) fn answered_on_terminal(world: &World<'_>, unit: u32, function: Option<FunctionRef>) -> bool {
    let calls = calls_in(world, unit, function);
    let reads = calls.iter().any(|call| {
        let name = callee_name(world, *call);
        let object = object_name(world, *call);
        matches!(
            name,
            "ReadString"
                | "Scanln"
                | "Scan"
                | "Scanf"
                | "Fscanln"
                | "read_line"
                | "readLine"
                | "nextLine"
                | "readln"
                | "ReadLine"
                | "ReadKey"
        ) && !matches!(object, "file" | "f" | "reader_file")
            && (matches!(name, "Scanln" | "Scanf" | "readln" | "ReadLine" | "ReadKey") || of_terminal(world, *call))
    });
    reads
        && calls.iter().any(|call| {
            texts_in_args(world, *call).iter().any(|text| asks(text))
        })
        && world.index(unit).exprs_of(function.map(|function| function.1)).into_iter().any(|id| {
            let expr = world.module(unit).expr(id);
            let compares = match expr {
                Expr::Test(_) => true,
                Expr::Call { callee, .. } => matches!(world.module(unit).expr(*callee), Expr::Member { name, .. }
                    if matches!(&**name, "equals" | "equalsIgnoreCase" | "startsWith" | "starts_with" | "EqualFold" | "HasPrefix" | "Equals" | "eq_ignore_ascii_case" | "lowercase")),
                _ => false,
            };
            compares
                && (texts_in(world, ExprRef(unit, id)).into_iter().any(yes)
                    || matches!(expr, Expr::Test(_)) && names_key_of_consent(world, unit, id))
        })
}

/// `Console.ReadKey().Key == ConsoleKey.Y`
fn names_key_of_consent(world: &World<'_>, unit: u32, test: ExprId) -> bool {
    let module = world.module(unit);
    module.children(test).into_iter().any(|part| {
        matches!(module.expr(part), Expr::Member { object, name } if yes(name)
            && matches!(module.expr(*object), Expr::Name(of) if &**of == "ConsoleKey"))
    })
}

/// Whether a call reads what is typed: `bufio.NewReader(os.Stdin).ReadString`, `io::stdin().read_line`.
fn of_terminal(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Call { callee, .. } = world.expr(at) else {
        return false;
    };
    let mut said = symbols(world, at);
    let mut stack = vec![*callee];
    let mut steps = 0;
    while let Some(id) = stack.pop() {
        steps += 1;
        if steps > 60 {
            break;
        }
        if let Expr::Name(name) | Expr::Member { name, .. } = world.module(at.0).expr(id) {
            said.push(name.to_string());
            // A reader that was made before.
            for value in world.eval(ExprRef(at.0, id)).iter() {
                if let Value::Path(path) = value {
                    for call in path.calls().take(3) {
                        stack.extend(
                            world
                                .module(call.0)
                                .children(call.1)
                                .into_iter()
                                .filter(|_| call.0 == at.0),
                        );
                    }
                }
            }
        }
        stack.extend(world.module(at.0).children(id));
    }
    said.iter().any(|name| {
        let lower = name.to_ascii_lowercase();
        lower.contains("stdin") || lower == "in" || lower.contains("scanner") || lower == "console"
    })
}

/// A word of consent.
pub(super) fn yes(text: &str) -> bool {
    matches!(
        text.trim().to_lowercase().as_str(),
        "y" | "yes" | "ja" | "j" | "oui" | "o" | "si" | "sí" | "sì" | "s" | "tak" | "t" | "sim" | "ok" | "approve"
    )
}

//! The model of a crew: crewAI collects the agents of a class by their decorators, and hands none of them to the crew by name.

use engine_syntax::ir::Expr;

use crate::arguments::Site;
use crate::facts::callee_name;
use crate::values::{ExprRef, Value};
use crate::world::World;

/// Agents of one file that are looked at.
const AGENTS_MAX: usize = 40;

impl World<'_> {
    /// What the agents are given as their model where a crew is made, if all of them are given the same.
    pub(crate) fn model_of_agents(&self, site: &Site<'_>) -> Vec<Value> {
        let unit = site.path.calls().last().map_or(site.at.0, |made| made.0);
        let mut same: Option<Vec<Value>> = None;
        let agents = self.index(unit).calls.iter().map(|call| ExprRef(unit, *call));
        for agent in agents.filter(|at| callee_name(self, *at) == "Agent").take(AGENTS_MAX) {
            let Expr::Call { args, .. } = self.expr(agent) else {
                continue;
            };
            let Some(arg) = args.iter().find(|arg| arg.name.as_deref() == Some("llm")) else {
                continue;
            };
            let given = self.expand(&self.eval(ExprRef(unit, arg.value)));
            match &same {
                Some(known) if *known != given => return Vec::new(),
                _ => same = Some(given),
            }
        }
        same.unwrap_or_default()
    }
}

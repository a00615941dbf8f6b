//! Whether an output is stored outside the log: in a table row, in a file, or by the client that receives it.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{Effect, EntryPointKind, Evidence};
use engine_syntax::ir::Expr;

use super::effects::Reach;
use super::{callee_name, object_name, symbols};
use crate::entry::Entry;
use crate::flow::Flow;
use crate::values::{ExprRef, FunctionRef};
use crate::world::World;

/// Modules whose import tells that a program keeps rows: drivers, mappers, hosted stores.
const STORES: [&str; 74] = [
    "psycopg",
    "psycopg2",
    "asyncpg",
    "sqlite3",
    "aiosqlite",
    "sqlalchemy",
    "sqlmodel",
    "flask_sqlalchemy",
    "flask_mysqldb",
    "peewee",
    "tortoise",
    "pymongo",
    "motor",
    "mongoengine",
    "beanie",
    "pymysql",
    "MySQLdb",
    "mysql",
    "aiomysql",
    "oracledb",
    "pyodbc",
    "supabase",
    "firebase_admin",
    "boto3.dynamodb",
    "cassandra",
    "peewee_async",
    "django.db",
    "pg",
    "postgres",
    "mysql2",
    "mssql",
    "sqlite",
    "better-sqlite3",
    "mongodb",
    "mongoose",
    "typeorm",
    "sequelize",
    "knex",
    "drizzle-orm",
    "kysely",
    "firebase",
    "firebase-admin",
    "convex",
    "@prisma/client",
    "@supabase/supabase-js",
    "@supabase/ssr",
    "@vercel/postgres",
    "@neondatabase/serverless",
    "@planetscale/database",
    "@libsql/client",
    "@mikro-orm/core",
    "@nestjs/typeorm",
    "@nestjs/mongoose",
    "@google-cloud/firestore",
    "database/sql",
    "gorm.io/gorm",
    "github.com/jackc/pgx",
    "github.com/jmoiron/sqlx",
    "github.com/lib/pq",
    "github.com/mattn/go-sqlite3",
    "github.com/go-sql-driver/mysql",
    "go.mongodb.org/mongo-driver",
    "sqlx",
    "diesel",
    "sea_orm",
    "rusqlite",
    "tokio_postgres",
    "java.sql",
    "javax.persistence",
    "jakarta.persistence",
    "org.springframework.data",
    "androidx.room",
    "Microsoft.EntityFrameworkCore",
    "Dapper",
];

/// Calls that write a file whole, by their name alone.
const WRITES_FILE: [&str; 22] = [
    "write_text",
    "write_bytes",
    "writeFile",
    "writeFileSync",
    "appendFile",
    "appendFileSync",
    "WriteAllText",
    "WriteAllTextAsync",
    "AppendAllText",
    "AppendAllTextAsync",
    "WriteFile",
    "writeText",
    "appendText",
    "to_csv",
    "to_excel",
    "to_parquet",
    "writerow",
    "writerows",
    "append_row",
    "append_rows",
    "savetxt",
    "writeJson",
];

/// Whether importing a module tells that a program keeps rows.
pub(crate) fn is_store(module: &str) -> bool {
    STORES.iter().any(|store| {
        module
            .strip_prefix(store)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/', ':']))
    })
}

/// For each answer that is kept the place which shows it.
///
/// `stored` is the first place of the product that imports a store: where an answer goes out as a reply of such a tree, the page or
/// program that gets it may hand it back to be kept, and nothing in between is seen by data flow.
pub(super) fn all(
    world: &World<'_>,
    flow: &Flow<'_, '_>,
    entries: &[Entry],
    sinks: &[Reach],
    stored: Option<&Evidence>,
) -> BTreeMap<usize, Evidence> {
    let mut out = BTreeMap::new();
    for row in sinks.iter().filter(|sink| sink.effect == Effect::Database) {
        for answer in row.answers.iter() {
            out.entry(answer)
                .or_insert_with(|| super::evidence(world, row.at, callee_name(world, row.at)));
        }
    }
    let delivered: BTreeSet<ExprRef> = sinks
        .iter()
        .filter(|sink| matches!(sink.effect, Effect::Page | Effect::Mail))
        .map(|sink| sink.at)
        .collect();
    for unit in 0..crate::values::id(world.units.len()) {
        for call in &world.index(unit).calls {
            let at = ExprRef(unit, *call);
            let leaves =
                || leaves_the_program(world, at) && !flow.answers.contains_key(&at) && !delivered.contains(&at);
            if !writes_file(world, at) && !leaves() {
                continue;
            }
            for answer in flow.of_arguments(at).answers.iter() {
                out.entry(answer)
                    .or_insert_with(|| super::evidence(world, at, callee_name(world, at)));
            }
        }
    }
    let Some(stored) = stored else { return out };
    let handlers: BTreeSet<FunctionRef> = entries
        .iter()
        .filter(|entry| entry.kind == EntryPointKind::Http)
        .filter_map(|entry| entry.function)
        .collect();
    for handler in &handlers {
        let index = world.index(handler.0);
        let given = index.returns[handler.1.0 as usize]
            .iter()
            .chain(&index.yields[handler.1.0 as usize]);
        for value in given {
            for answer in flow.origins(ExprRef(handler.0, *value)).answers.iter() {
                out.entry(answer).or_insert_with(|| stored.clone());
            }
        }
    }
    for reply in sinks.iter().filter(|sink| sink.effect == Effect::Page) {
        let served = world
            .index(reply.at.0)
            .functions_around(reply.at.1)
            .into_iter()
            .any(|function| handlers.contains(&FunctionRef(reply.at.0, function)));
        // What a component shows goes back with the next request of the page.
        if served || !handlers.is_empty() && crate::flow::has_elements(world, reply.at.0) {
            for answer in reply.answers.iter() {
                out.entry(answer).or_insert_with(|| stored.clone());
            }
        }
    }
    out
}

/// Clients of servers, by pieces of the names under which they are kept.
const CLIENTS: [&str; 8] = ["axios", "requests", "httpx", "session", "http", "client", "got", "api"];

/// What a page of a browser offers by itself; whatever else hangs on its window, somebody has put there.
const OF_WINDOW: [&str; 16] = [
    "console",
    "location",
    "history",
    "document",
    "navigator",
    "screen",
    "performance",
    "crypto",
    "speechSynthesis",
    "parent",
    "top",
    "opener",
    "self",
    "window",
    "customElements",
    "Math",
];

/// Whether a call hands what it is given to another program: a server that is asked, or what stands behind the bridge of a window. Who
/// keeps it there is not in sight.
fn leaves_the_program(world: &World<'_>, at: ExprRef) -> bool {
    let name = callee_name(world, at);
    match name {
        "fetch" | "$fetch" | "ofetch" | "sendBeacon" | "PostAsync" | "PutAsync" | "PatchAsync" | "SendAsync"
        | "PostAsJsonAsync" | "PutAsJsonAsync" | "postForObject" | "postForEntity" => true,
        "post" | "put" | "patch" => {
            let object = object_name(world, at).to_ascii_lowercase();
            CLIENTS.iter().any(|client| object.contains(client))
        }
        "invoke" | "send" | "sendSync" if object_name(world, at) == "ipcRenderer" => true,
        "invoke" if object_name(world, at).is_empty() => symbols(world, at)
            .iter()
            .any(|symbol| symbol.starts_with("@tauri-apps")),
        _ => {
            let module = world.module(at.0);
            let Expr::Call { callee, .. } = world.expr(at) else {
                return false;
            };
            let Expr::Member { object, .. } = module.expr(*callee) else {
                return false;
            };
            matches!(module.expr(*object), Expr::Member { object, name } if !OF_WINDOW.contains(&&**name)
                && matches!(module.expr(*object), Expr::Name(root) if &**root == "window"))
        }
    }
}

/// Whether a call writes what it is given into a file.
fn writes_file(world: &World<'_>, at: ExprRef) -> bool {
    let name = callee_name(world, at);
    if WRITES_FILE.contains(&name) {
        return true;
    }
    match name {
        // `json.dump(result, file)`
        "dump" => matches!(world.expr(at), Expr::Call { args, .. } if args.len() > 1),
        // `file.write(result)` on what was opened.
        "write" | "writelines" => {
            let lower = object_name(world, at).to_ascii_lowercase();
            symbols(world, at)
                .iter()
                .any(|symbol| symbol.starts_with("open(") || symbol.starts_with("io.open("))
                || matches!(
                    lower.as_str(),
                    "fs" | "f" | "fh" | "file" | "outfile" | "out_file" | "output_file"
                )
        }
        _ => false,
    }
}

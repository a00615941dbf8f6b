//! `l4-unhandled-model-failure`: model calls without error handling.

use engine_model::{Call, CheckContext, ErrorHandling, EvidenceKind, Report, TraceKind, declare_check};

use super::{calls, named, runs_here};
use crate::facts::untraced_output::NO_CALL_SEEN;

declare_check! {
    /// Model call without error handling.
    ///
    /// Article 15(4): a high-risk system must be resilient against errors and faults. Remote models often fail: rate
    /// limits, timeouts, refusals.
    ///
    /// Error handling counts at the call, in any direct or indirect caller, and in a central error handler of the
    /// product. Passing the failure to the caller in the usual way of the language counts as well. A model that runs
    /// in the same process is not reported, because there is no service that could fail.
    ///
    /// A failure does not count as handled if it is swallowed, or returned as a rating or score like a real one. If
    /// the code checks the status of a request and handles every other status, no gap is reported.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/rank")
    /// def rank(text: str):
    ///     return client.responses.create(model="gpt-4.1-2025-04-14", input=text).output_text
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI, OpenAIError
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/rank")
    /// def rank(text: str):
    ///     try:
    ///         return client.responses.create(model="gpt-4.1-2025-04-14", input=text).output_text
    ///     except OpenAIError:
    ///         return "A colleague will answer."
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import joblib
    /// from fastapi import FastAPI
    ///
    /// app = FastAPI()
    /// model = joblib.load("model.joblib")
    ///
    /// @app.post("/rank")
    /// def rank(size: float):
    ///     return {"class": int(model.predict([[size]])[0])}
    /// ```
    /// Not reported:
    /// ```text
    /// //- ask.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def send(text: str) -> str:
    ///     return client.responses.create(model="gpt-4.1-2025-04-14", input=text).output_text
    ///
    /// def ask(text: str) -> str:
    ///     return send("Rank this: " + text)
    /// //- app.py
    /// from fastapi import FastAPI, HTTPException
    ///
    /// from ask import ask
    ///
    /// app = FastAPI()
    ///
    /// @app.post("/rank")
    /// def rank(text: str):
    ///     try:
    ///         return ask(text)
    ///     except Exception as error:
    ///         raise HTTPException(status_code=502, detail="try again later") from error
    /// ```
    /// Reported:
    /// ```text
    /// //- ask.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def ask(text: str) -> str:
    ///     return client.responses.create(model="gpt-4.1-2025-04-14", input=text).output_text
    /// //- app.py
    /// from fastapi import FastAPI
    ///
    /// from ask import ask
    ///
    /// app = FastAPI()
    ///
    /// @app.post("/rank")
    /// def rank(text: str):
    ///     try:
    ///         return ask(text)
    ///     except Exception as error:
    ///         raise error
    /// ```
    /// Not reported:
    /// ```text
    /// //- src/main/java/app/RankController.java
    /// package app;
    ///
    /// import com.openai.client.OpenAIClient;
    /// import com.openai.client.okhttp.OpenAIOkHttpClient;
    /// import com.openai.models.responses.ResponseCreateParams;
    /// import org.springframework.web.bind.annotation.*;
    ///
    /// @RestController
    /// class RankController {
    ///   private final OpenAIClient client = OpenAIOkHttpClient.fromEnv();
    ///
    ///   @PostMapping("/rank")
    ///   String rank(@RequestBody String text) {
    ///     try {
    ///       return client.responses().create(ResponseCreateParams.builder().model("gpt-4.1-2025-04-14").input(text).build()).toString();
    ///     } catch (Exception e) {
    ///       throw new RankException(e.getMessage());
    ///     }
    ///   }
    /// }
    /// //- src/main/java/app/GlobalExceptionHandler.java
    /// package app;
    ///
    /// import org.springframework.web.bind.annotation.ExceptionHandler;
    /// import org.springframework.web.bind.annotation.RestControllerAdvice;
    ///
    /// @RestControllerAdvice
    /// class GlobalExceptionHandler {
    ///   @ExceptionHandler(RankException.class)
    ///   String failed(RankException e) { return "Try again later."; }
    /// }
    /// ```
    /// Reported:
    /// ```text
    /// //- src/main/java/app/RankController.java
    /// package app;
    ///
    /// import com.openai.client.OpenAIClient;
    /// import com.openai.client.okhttp.OpenAIOkHttpClient;
    /// import com.openai.models.responses.ResponseCreateParams;
    /// import org.springframework.web.bind.annotation.*;
    ///
    /// @RestController
    /// class RankController {
    ///   private final OpenAIClient client = OpenAIOkHttpClient.fromEnv();
    ///
    ///   @PostMapping("/rank")
    ///   String rank(@RequestBody String text) {
    ///     try {
    ///       return client.responses().create(ResponseCreateParams.builder().model("gpt-4.1-2025-04-14").input(text).build()).toString();
    ///     } catch (Exception e) {
    ///       throw new RankException(e.getMessage());
    ///     }
    ///   }
    /// }
    /// //- src/main/java/app/GlobalExceptionHandler.java
    /// package app;
    ///
    /// import org.springframework.web.bind.annotation.ExceptionHandler;
    /// import org.springframework.web.bind.annotation.RestControllerAdvice;
    ///
    /// @RestControllerAdvice
    /// class GlobalExceptionHandler {
    ///   @ExceptionHandler(NotFoundException.class)
    ///   String failed(NotFoundException e) { return "Not here."; }
    /// }
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import httpx
    ///
    /// URL = "https://api.openai.com/v1/responses"
    ///
    /// async def rank(text: str):
    ///     async with httpx.AsyncClient() as client:
    ///         response = await client.post(URL, json={"model": "gpt-4.1-2025-04-14", "input": text})
    ///         if response.status_code == 200:
    ///             return response.json()["output"]
    ///         else:
    ///             await tell(response.status_code)
    ///             return None
    ///
    /// async def main(text: str):
    ///     print(await rank(text))
    /// ```
    /// Reported:
    /// ```text
    /// //- app.py
    /// import httpx
    /// from fastapi import FastAPI
    ///
    /// URL = "https://api.openai.com/v1/responses"
    /// app = FastAPI()
    ///
    /// @app.post("/rank")
    /// async def rank(text: str):
    ///     async with httpx.AsyncClient() as client:
    ///         response = await client.post(URL, json={"model": "gpt-4.1-2025-04-14", "input": text})
    ///         return response.json()["output"]
    /// ```
    /// Reported:
    /// ```text
    /// //- src/rating.ts
    /// import OpenAI from "openai";
    /// import { db } from "./db";
    ///
    /// const client = new OpenAI();
    ///
    /// export async function rate(text: string) {
    ///   const answer = await client.responses.create({ model: "gpt-4.1-2025-04-14", input: text });
    ///   await db.collection("ratings").insertOne({ text, rating: answer.output_text });
    /// }
    /// //- src/app.ts
    /// import express from "express";
    /// import { rate } from "./rating";
    ///
    /// const app = express();
    /// app.post("/texts", async (req, res) => {
    ///   try {
    ///     rate(req.body.text);
    ///     res.status(201).send();
    ///   } catch (error) {
    ///     res.status(500).json({ error: "try again later" });
    ///   }
    /// });
    /// ```
    /// Not reported:
    /// ```text
    /// //- src/rating.ts
    /// import OpenAI from "openai";
    /// import { db } from "./db";
    ///
    /// const client = new OpenAI();
    ///
    /// export async function rate(text: string) {
    ///   const answer = await client.responses.create({ model: "gpt-4.1-2025-04-14", input: text });
    ///   await db.collection("ratings").insertOne({ text, rating: answer.output_text });
    /// }
    /// //- src/app.ts
    /// import express from "express";
    /// import { rate } from "./rating";
    ///
    /// const app = express();
    /// app.post("/texts", async (req, res) => {
    ///   try {
    ///     await rate(req.body.text);
    ///     res.status(201).send();
    ///   } catch (error) {
    ///     res.status(500).json({ error: "try again later" });
    ///   }
    /// });
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import asyncio
    /// from typing import List
    ///
    /// from fastapi import FastAPI
    /// from openai import AsyncOpenAI
    ///
    /// app = FastAPI()
    ///
    /// class Reader:
    ///     def __init__(self, model: str):
    ///         self.client = AsyncOpenAI()
    ///         self.model = model
    ///
    ///     async def read(self, text: str) -> str:
    ///         answer = await self.client.responses.create(model=self.model, input=text)
    ///         return answer.output_text
    ///
    /// async def collect(readers: List[Reader], texts: List[str]) -> List[str]:
    ///     waiting = []
    ///     for number, (reader, text) in enumerate(zip(readers, texts), 1):
    ///         waiting.append(reader.read(text))
    ///     return await asyncio.gather(*waiting)
    ///
    /// @app.post("/rank")
    /// async def rank(texts: List[str]):
    ///     readers = [Reader("gpt-4.1-2025-04-14"), Reader("gpt-4.1-mini-2025-04-14")]
    ///     for attempt in range(2):
    ///         try:
    ///             return await collect(readers, texts)
    ///         except Exception as error:
    ///             print(f"attempt {attempt} failed: {error}")
    /// ```
    /// Reported:
    /// ```text
    /// //- app.py
    /// import asyncio
    /// from typing import List
    ///
    /// from fastapi import FastAPI
    /// from openai import AsyncOpenAI
    ///
    /// app = FastAPI()
    ///
    /// class Reader:
    ///     def __init__(self, model: str):
    ///         self.client = AsyncOpenAI()
    ///         self.model = model
    ///
    ///     async def read(self, text: str) -> str:
    ///         answer = await self.client.responses.create(model=self.model, input=text)
    ///         return answer.output_text
    ///
    /// async def collect(readers: List[Reader], texts: List[str]) -> List[str]:
    ///     waiting = []
    ///     for number, (reader, text) in enumerate(zip(readers, texts), 1):
    ///         waiting.append(reader.read(text))
    ///     return await asyncio.gather(*waiting)
    ///
    /// @app.post("/rank")
    /// async def rank(texts: List[str]):
    ///     readers = [Reader("gpt-4.1-2025-04-14"), Reader("gpt-4.1-mini-2025-04-14")]
    ///     return await collect(readers, texts)
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import asyncio
    /// from typing import List
    ///
    /// from fastapi import FastAPI
    /// from openai import AsyncOpenAI
    ///
    /// app = FastAPI()
    /// client = AsyncOpenAI()
    ///
    /// async def read(text: str) -> str:
    ///     answer = await client.responses.create(model="gpt-4.1-2025-04-14", input=text)
    ///     return answer.output_text
    ///
    /// @app.post("/rank")
    /// async def rank(texts: List[str]):
    ///     waiting = [read(text) for text in texts]
    ///     try:
    ///         return await asyncio.gather(*waiting)
    ///     except Exception as error:
    ///         print(f"failed: {error}")
    /// ```
    /// Reported:
    /// ```text
    /// //- app.py
    /// import asyncio
    /// from typing import List
    ///
    /// from fastapi import FastAPI
    /// from openai import AsyncOpenAI
    ///
    /// app = FastAPI()
    /// client = AsyncOpenAI()
    ///
    /// async def read(text: str) -> str:
    ///     answer = await client.responses.create(model="gpt-4.1-2025-04-14", input=text)
    ///     return answer.output_text
    ///
    /// @app.post("/rank")
    /// async def rank(texts: List[str]):
    ///     try:
    ///         waiting = [read(text) for text in texts]
    ///     except Exception as error:
    ///         print(f"failed: {error}")
    ///         return
    ///     return await asyncio.gather(*waiting)
    /// ```
    UNHANDLED_MODEL_FAILURE {
        id: "l4-unhandled-model-failure",
        layer: L4,
        obligation: "OBL-045",
        evidence: "Error handling for model calls found",
        severity: Medium,
        impact: Breaks,
        fix: "Catch the failure where the model is called. Define what the user gets instead, and log the failure.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        // What runs in the process fails like any other function of it, and a browser that listens throws nothing: it tells a
        // failure to whoever hears its events.
        let calls: Vec<_> = calls(context, system)
            .into_iter()
            .filter(|call| !runs_here(call) && !listens(call))
            .collect();
        let unhandled: Vec<_> = calls
            .iter()
            .filter(|call| call.error_handling == ErrorHandling::No && is_called(call))
            .collect();
        if let Some(first) = unhandled.first() {
            let others = match unhandled.len() {
                1 => String::new(),
                count => format!("; the same applies to {} of the other {}", count - 1, calls.len() - 1),
            };
            let message = format!(
                "No error handling for rate limits, timeouts or refusals was found around {}{others}.",
                named(first)
            );
            let mut finding = report.fail(85, message).call(first).system(system);
            for call in unhandled.iter().filter(|_| unhandled.len() > 1).take(40) {
                finding = finding.evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
            }
        } else if let Some(first) = calls.first()
            && calls.iter().all(|call| {
                call.error_handling != ErrorHandling::No && call.traced(TraceKind::FailureAnswered).is_none()
            })
        {
            let message = match calls.len() {
                1 => format!("Failures of {} are handled.", named(first)),
                count => format!(
                    "Failures of each of the {count} calls are handled, first: {}.",
                    named(first)
                ),
            };
            let mut finding = report.pass(90, message).call(first).system(system);
            // Whoever is to believe it looks at each of them.
            for call in calls.iter().filter(|_| calls.len() > 1).take(40) {
                finding = finding.evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
            }
        }
    }
}

/// Whether the browser itself listens.
fn listens(call: &Call) -> bool {
    call.sdk.as_deref().is_some_and(|sdk| sdk.starts_with("web-speech"))
}

/// Whether the way to a call is seen: who runs what is handed over, or what nobody names, is not in sight, and neither is what they do.
fn is_called(call: &Call) -> bool {
    call.traced(TraceKind::Unreached).is_none()
        && call.traced(TraceKind::HandedOver).is_none()
        && call.traced(TraceKind::Lost).is_none_or(|trace| {
            !trace.chain.iter().any(|step| step.reference.ends_with(NO_CALL_SEEN))
        })
        // A client that raises nothing on a status, whose status is looked at.
        && call.traced(TraceKind::FailureAnswered).is_none()
}

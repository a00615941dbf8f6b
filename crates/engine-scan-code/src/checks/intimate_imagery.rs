//! `l4-intimate-imagery` and `l4-unfiltered-image-generation`: generators of intimate pictures, and generators without
//! a filter that people can steer.

use engine_model::{Capability, CheckContext, Report, Sends, TraceKind, declare_check};

use super::{calls, follow};

declare_check! {
    /// Model that generates intimate imagery.
    ///
    /// Article 5(1)(ba) prohibits systems that generate or manipulate realistic intimate or sexual material of an
    /// identifiable person without explicit consent. It applies from 2 December 2026.
    ///
    /// This check reports models that are built to undress people or to show them in sexual acts.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// import replicate
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    ///
    /// @app.post("/edit")
    /// def edit():
    ///     return replicate.run("studio/nudify-inpaint", input={"image": request.files["photo"]})
    /// ```
    /// ```text
    /// //- src/edit.ts
    /// import Replicate from "replicate";
    /// import express from "express";
    ///
    /// const app = express();
    /// const replicate = new Replicate();
    ///
    /// app.post("/edit", async (req, res) => {
    ///   res.json(await replicate.run("studio/undress-anyone", { input: { image: req.body.photo } }));
    /// });
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from transformers import pipeline
    ///
    /// judge = pipeline("image-classification", model="Falconsai/nsfw_image_detection")
    ///
    /// if __name__ == "__main__":
    ///     print(judge(input()))
    /// ```
    INTIMATE_IMAGERY {
        id: "l4-intimate-imagery",
        layer: L4,
        obligation: "OBL-010",
        severity: Critical,
        impact: Exposes,
        fix: "Remove the model. If the people in the picture gave their explicit consent, record it with each picture.",
        run: run_intimate,
    }
}

declare_check! {
    /// Safety filter of image generator disabled.
    ///
    /// Article 5(1)(ba) and (bb) also cover systems without adequate safeguards, if prohibited material is a
    /// foreseeable and reproducible outcome. This is intimate material of identifiable people, or child sexual abuse
    /// material. A disabled filter is such a missing safeguard, unless another one replaces it. The points apply from
    /// 2 December 2026.
    ///
    /// This check reports generators with a disabled filter whose prompt or picture comes from a user.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from diffusers import StableDiffusionImg2ImgPipeline
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// pipe = StableDiffusionImg2ImgPipeline.from_pretrained("runwayml/stable-diffusion-v1-5", safety_checker=None)
    ///
    /// @app.post("/edit")
    /// def edit():
    ///     return pipe(prompt=request.form["prompt"], image=request.files["photo"]).images[0]
    /// ```
    /// ```text
    /// //- src/paint.ts
    /// import Replicate from "replicate";
    /// import express from "express";
    ///
    /// const app = express();
    /// const replicate = new Replicate();
    ///
    /// app.post("/paint", async (req, res) => {
    ///   const prompt = req.body.prompt;
    ///   res.json(await replicate.run("black-forest-labs/flux-dev", { input: { prompt, disable_safety_checker: true } }));
    /// });
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from diffusers import StableDiffusionImg2ImgPipeline
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// pipe = StableDiffusionImg2ImgPipeline.from_pretrained("runwayml/stable-diffusion-v1-5")
    ///
    /// @app.post("/edit")
    /// def edit():
    ///     return pipe(prompt=request.form["prompt"], image=request.files["photo"]).images[0]
    /// ```
    UNFILTERED_IMAGE_GENERATION {
        id: "l4-unfiltered-image-generation",
        layer: L4,
        obligation: "OBL-010",
        severity: High,
        impact: Exposes,
        fix: "Enable the filter. Or check the prompt and the generated picture with another filter that also detects child sexual abuse material.",
        run: run_unfiltered,
    }
}

fn run_intimate(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        for call in calls(context, system) {
            if call.can(Capability::IntimateImagery) {
                let message = format!(
                    "Observed: the model `{}` is built to show people naked or in sexual acts. This is prohibited without the \
                     explicit consent of the people in the picture: answer the question `art-5-intimate-imagery`.",
                    call.model.as_deref().unwrap_or(&call.symbol)
                );
                report.fail(85, message).call(call).system(system);
            }
        }
    }
}

/// Child sexual abuse material.
const ABUSE_MATERIAL: &str = "OBL-011";

fn run_unfiltered(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let mut seen = false;
        for call in calls(context, system) {
            let makes = call.can(Capability::ImageGeneration) || call.can(Capability::VideoGeneration);
            let Some(off) = call.traced(TraceKind::SafetyOff).filter(|_| makes) else {
                continue;
            };
            // What stands in the code cannot be steered by anybody.
            if seen || !call.sends.contains(&Sends::UserInput) {
                continue;
            }
            seen = true;
            // One fact, one finding: the law names it in two points, and the second stands with its own obligation.
            let article = |id: &str| {
                let mut records = system.obligations.iter();
                records
                    .find(|record| record.obligation_id == id)
                    .map(|record| record.article.split(',').next().unwrap_or("").to_owned())
            };
            let points: Vec<String> = [UNFILTERED_IMAGE_GENERATION.obligation, ABUSE_MATERIAL]
                .into_iter()
                .filter_map(article)
                .collect();
            let under = if points.is_empty() {
                String::new()
            } else {
                format!(" under {}", points.join(" and "))
            };
            let message = format!(
                "Observed: the safety filter of the generator is disabled, and a user controls the content ({}). Without \
                 adequate safeguards this may be prohibited{under}: answer the question `art-5-intimate-imagery`.",
                follow(off)
            );
            for obligation in [None, Some(ABUSE_MATERIAL)] {
                let mut finding = report.fail(60, message.clone()).call(call).system(system);
                for place in &off.chain {
                    finding = finding.because(place.clone());
                }
                if let Some(obligation) = obligation {
                    finding.obligation(obligation).aside();
                }
            }
        }
    }
}

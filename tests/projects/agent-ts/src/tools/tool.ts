import { z } from "zod";

/** Something the model may ask for. */
export interface Tool<Input extends z.ZodTypeAny = z.ZodTypeAny> {
  name: string;
  description: string;
  input: Input;
  parameters: Record<string, unknown>;
  /** True if a person has to agree to each use. */
  needsApproval: boolean;
  run(input: z.infer<Input>): Promise<string>;
}

export function defineTool<Input extends z.ZodTypeAny>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

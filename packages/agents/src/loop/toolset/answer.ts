// The output of a model agent: a tool whose arguments are the result. What does not fit is the outcome of its call, as with any other tool.
import { isJsonObject, type Json, type JsonObject } from '@bridle/events/json'
import { parseRunResult } from '../../schemas/input.ts'
import { type StandardSchema, writtenSchema } from '../../schemas/standard-schema.ts'
import { convertSchema, isObjectSchema } from '../../tools/json-schema.ts'
import { ANSWER_TOOL, type Tool, tool } from '../../tools/tool.ts'
import { asLoopTool } from '../tools/loop-tools.ts'

/** The tool that takes the output of an agent. Made once for each schema. */
export const answerTool = (output: StandardSchema): Tool => {
  const known = made.get(output)
  if (known) return known
  const answer = asLoopTool(
    tool({
      name: ANSWER_TOOL,
      description: 'Gives the final result and ends the turn. Call it once, when the work is done.',
      input: answerSchema(output),
      effect: 'pure',
      // The arguments are the result. The log has them already, and may keep only the beginning of a long result.
      run: () => ({ accepted: true }),
    }),
  )
  made.set(output, answer)
  return answer
}

const made = new WeakMap<StandardSchema, Tool>()

/** The output that the arguments of an `answer` call stand for, or the problem with it. */
export const answerOf = async (
  output: StandardSchema,
  args: JsonObject,
): Promise<{ readonly value: Json } | { readonly problem: string }> => {
  const result = await parseRunResult({ output }, isWrapped(output) ? args[WRAPPER] : args)
  return 'problem' in result ? result : { value: result.value ?? null }
}

/** Arguments have names. An output that is no object is the argument `value`. */
const WRAPPER = 'value'

const isWrapped = (output: StandardSchema): boolean => !isObjectSchema(convertSchema(output))

const answerSchema = (output: StandardSchema): StandardSchema<object, unknown> =>
  writtenSchema<object, unknown>(
    () => asArguments(convertSchema(output)),
    async (value) => {
      const wrapped = isWrapped(output)
      const given = wrapped && isJsonObject(value) ? value[WRAPPER] : value
      const checked = await output['~standard'].validate(given)
      if (checked.issues)
        return wrapped
          ? { issues: checked.issues.map(({ message, path = [] }) => ({ message, path: [WRAPPER, ...path] })) }
          : checked
      // The result of a run is JSON, and has a limit.
      const result = await parseRunResult({ output: null }, checked.value)
      return 'problem' in result ? { issues: [{ message: result.problem }] } : { value: result.value }
    },
  )

const asArguments = (schema: JsonObject): JsonObject => {
  if (isObjectSchema(schema)) return schema
  // References begin at the root, where the definitions stay; the schema itself moves down.
  const { $defs, definitions, ...rest } = schema
  return {
    type: 'object',
    properties: { [WRAPPER]: withMovedRoot(rest) },
    required: [WRAPPER],
    ...($defs !== undefined && { $defs: withMovedRoot($defs) }),
    ...(definitions !== undefined && { definitions: withMovedRoot(definitions) }),
  }
}

/** The schema with references to its root changed to the place where it stands now. */
const withMovedRoot = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(withMovedRoot)
  if (!isJsonObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      name === '$ref' && value === '#' ? `#/properties/${WRAPPER}` : withMovedRoot(value),
    ]),
  )
}

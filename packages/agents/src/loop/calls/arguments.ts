// The arguments of a call, as the schema of its tool reads them.
import type { JsonObject } from '@bridle/events/json'
import { truncate } from '@bridle/kernel/text/truncate'
import { validateWithSchema } from '../../schemas/standard-schema.ts'
import { ERROR_CHARS_MAX } from '../../session/limits.ts'
import { syncAnswer } from '../../tools/sync-answer.ts'
import type { Tool } from '../../tools/tool.ts'
import { type Deadline, withDeadline } from './deadline.ts'

/** The input of the tool's function, or a sentence for the model that says what does not fit. */
export type ArgumentCheck = { readonly value: unknown } | { readonly problem: string }

export const checkArguments = async (
  { name, input }: Pick<Tool, 'name' | 'input'>,
  args: JsonObject,
  deadline: Deadline,
): Promise<ArgumentCheck> => {
  const checked = input
    ? await validateWithSchema(input, args, (checking) => withDeadline(() => checking, deadline))
    : { value: args }
  return 'problem' in checked
    ? { problem: truncate(`The arguments of "${name}" do not fit: ${checked.problem}`, ERROR_CHARS_MAX) }
    : checked
}

/** The things that a call touches. A function that fails says nothing about them. */
export const resourcesOf = ({ resources }: Tool, input: unknown): readonly string[] | null => {
  try {
    const names = syncAnswer('resources', resources?.(input))
    return Array.isArray(names) && names.every((name) => typeof name === 'string') ? names : null
  } catch {
    return null
  }
}

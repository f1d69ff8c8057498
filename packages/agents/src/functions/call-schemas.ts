// The schemas of a function's calls that wait for an approval. The function passes a schema with its call, so that no other place has it: the
// session keeps it in memory, also while the function is let go, and a person learns at once which edited argument does not fit.
import type { Clock } from '@bridle/kernel/ports/clock'
import type { EditedCall } from '@bridle/kernel/ports/runner'
import type { CachedValue, RunReporter } from '@bridle/kernel/session/run-reporter'
import type { AgentDefinition } from '../agent.ts'
import { checkArguments } from '../loop/calls/arguments.ts'
import { schemaDeadline } from '../loop/calls/calls.ts'
import type { StandardSchema } from '../schemas/standard-schema.ts'

interface CallSchemas extends CachedValue {
  readonly definition: AgentDefinition
  readonly byCall: Map<string, StandardSchema>
}

/** A run begins, or is taken up: schemas of earlier ones are forgotten. */
export const beginCallSchemas = ({ session: { cache } }: RunReporter, definition: AgentDefinition): void => {
  // A schema is code of the agent, which is in memory anyway.
  const schemas: CallSchemas = { chars: 0, definition, byCall: new Map() }
  cache.set(CACHE_KEY, schemas)
}

/** Before a person is asked about the call. */
export const keepCallSchema = ({ session: { cache } }: RunReporter, callId: string, schema: StandardSchema): void => {
  ;(cache.get(CACHE_KEY) as CallSchemas | undefined)?.byCall.set(callId, schema)
}

/** Why the arguments do not fit, as a sentence; null = they fit, or the schema of the call is not in memory. */
export const functionCallProblem = async (
  definition: AgentDefinition,
  { cache, tool: name, toolCallId, arguments: args }: EditedCall,
  clock: Clock,
): Promise<string | null> => {
  const schemas = cache.get(CACHE_KEY) as CallSchemas | undefined
  // A function that was changed meanwhile makes the call with a schema that nobody knows yet.
  const input = schemas?.definition === definition ? schemas.byCall.get(toolCallId) : undefined
  if (!input) return null
  const { signal } = new AbortController()
  const checked = await checkArguments(
    { name, input },
    args,
    schemaDeadline({ clock, signal, toolMs: definition.limits.toolMs }),
  )
  return 'problem' in checked ? checked.problem : null
}

const CACHE_KEY = 'call_schemas'

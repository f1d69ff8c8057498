// The payload schemas that an agent has registered for its namespaced directives. Core types have theirs in the kernel.

import { isJsonObject } from '@bridle/events/json'
import { fieldsProblem } from '@bridle/kernel/directive'
import { isCoreType } from '@bridle/kernel/directive-payloads'
import type { FunctionRun } from '../functions/function-run.ts'
import { describeIssues, isSchema, type StandardSchema } from '../schemas/standard-schema.ts'
import type { AgentSession } from '../session.ts'

/** Schemas of payloads, by the action type of their directive. */
export type DirectiveSchemas = { readonly [actionType: string]: StandardSchema }

/** The reason why these are no schemas of directives; null: they are. */
export const directiveSchemasProblem = (schemas: unknown): string | null => {
  if (!isJsonObject(schemas)) return 'it is an object with a schema for each action type.'
  for (const [type, schema] of Object.entries(schemas)) {
    if (isCoreType(type)) return `${type} is a core type, which has its schema already.`
    if (fieldsProblem({ action_type: type }) !== null) return `"${type}" is no name such as com.example.sop.start.`
    if (!isSchema(schema)) return `the schema of ${type} is not a Standard Schema.`
  }
  return null
}

/** The same session. A directive whose payload does not fit its schema is refused before anything of it is in the log. */
export const withDirectiveSchemas = (
  run: Pick<FunctionRun, 'track'>,
  session: AgentSession,
  schemas: DirectiveSchemas,
): AgentSession => {
  if (Object.keys(schemas).length === 0) return session
  const refuseOr = (directive: unknown, send: () => Promise<void>) => {
    const problem = payloadProblem(schemas, directive)
    if (problem === null) return send()
    return run.track(async (): Promise<void> => {
      throw new TypeError(problem)
    })
  }
  const emit: AgentSession['emit'] = (type: string, payload: unknown) => {
    const send = () => session.emit(type, payload as never)
    return type === 'directive' ? refuseOr(payload, send) : send()
  }
  return { ...session, emit, directive: (directive) => refuseOr(directive, () => session.directive(directive)) }
}

/** Null also where the directive itself is wrong: the session says so. */
const payloadProblem = (schemas: DirectiveSchemas, directive: unknown): string | null => {
  if (!isJsonObject(directive) || typeof directive.action_type !== 'string') return null
  const { action_type: type, payload = {} } = directive
  const schema = Object.hasOwn(schemas, type) ? schemas[type] : undefined
  const result = schema?.['~standard'].validate(payload)
  // A function that replays its run must reach the same place in the same order, so that nothing may wait here.
  if (result instanceof Promise)
    return `payload: the schema of ${type} is asynchronous. Give it one that answers at once.`
  return result?.issues ? `payload: it does not fit ${type}: ${describeIssues(result.issues)}` : null
}

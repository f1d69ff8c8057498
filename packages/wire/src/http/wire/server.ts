import * as v from 'valibot'
import { engineInfoSchema } from './engines.ts'
import * as f from './fields.ts'

export const livenessSchema = f.answer('Liveness', 'The answer of `/health`.', {
  ok: f.flag('True while the process answers.'),
})
export type Liveness = f.AnswerOf<typeof livenessSchema>

const agentStatusSchema = f.answer('AgentStatus', 'An agent of a server.', {
  name: f.text("The agent's name."),
  description: f.text('A sentence for people.'),
  available: f.flag('True = the agent can run now.'),
  needs: f.optional(f.text('The missing requirement; absent = the agent can run.')),
  closed: f.optional(f.text('In production, why callers may not run the agent, and how to open it; absent = open.')),
  credential: f.optional(
    f.text('Where the key or login of the agent is stored, never its value; absent = none is known.'),
  ),
  warnings: f.optional(f.list(v.string(), 'Harmless mistakes in the definition of the agent; absent = none.')),
  triggers: f.object({ webhook: f.flag('A webhook starts runs.') }, 'The ways in which a run of the agent starts.'),
})
export type AgentStatus = f.AnswerOf<typeof agentStatusSchema>

export const readinessSchema = f.answer('Readiness', 'The answer of `/ready`.', {
  ready: f.flag('True = the server takes requests.'),
  message: f.optional(f.text('The reason why the server is not ready.')),
  workspace: f.optional(
    f.dictionary(
      v.nullable(v.union([v.string(), v.number(), v.boolean()])),
      'Settings of the server. Only callers with a credential get `workspace` and `agents`.',
    ),
  ),
  agents: f.optional(f.list(agentStatusSchema, 'The agents of the server.')),
})
export type Readiness = f.AnswerOf<typeof readinessSchema>

const offeredModelSchema = f.answer('OfferedModel', 'A model that sessions of an agent may ask.', {
  id: f.text('The name, as a session or a prompt gives it in `model`.'),
  title: f.text('The name for people.'),
})

const agentDescriptionSchema = f.extendedAnswer(
  'AgentDescription',
  'An agent with its engine, models and input.',
  [agentStatusSchema],
  {
    engine: f.text('The engine that does the work; `native` for an agent in the server.'),
    runner_kind: f.oneOf(
      ['in_process', 'bridge'],
      '`in_process`: the server runs the agent. `bridge`: an engine in a sandbox does.',
    ),
    capabilities: f.optional(f.reference(engineInfoSchema, 'Events and features of the engine; absent = all native.')),
    models: f.optional(
      f.list(v.string(), 'The models, each a fallback for the one before; absent = none, or the engine chooses.'),
    ),
    model_choices: f.optional(
      f.list(offeredModelSchema, 'The models that a session or a prompt may name; absent if there is no list.'),
    ),
    efforts: f.optional(
      f.list(v.string(), 'Reasoning efforts of the models, from little to much; absent if callers cannot choose.'),
    ),
    input_schema: f.nullable(f.anyObject('JSON Schema of the input; null = any object, or not expressible.')),
    voice: f.nullable(
      f.oneOf(
        ['realtime', 'cascade'],
        '`realtime`: the model hears and speaks. `cascade`: speech is converted to text and back. Null = no voice.',
      ),
    ),
  },
)
export type AgentDescription = f.AnswerOf<typeof agentDescriptionSchema>

export const agentListSchema = f.answer('AgentList', 'The agents of a server.', {
  agents: f.list(agentDescriptionSchema, 'The agents, in the order in which the server has them.'),
})
export type AgentList = f.AnswerOf<typeof agentListSchema>

export const callerSchema = f.answer('CallerIdentity', 'The identity of the caller.', {
  user: f.nullableText('The user of the credential; null = the credential names none.'),
  tenant: f.text('The tenant of this request.'),
  tenants: f.list(v.string(), 'The tenants that the credential may choose among; empty = any.'),
  scopes: f.list(
    v.picklist(['observe', 'operate', 'approve']),
    '`observe` reads and watches; `operate` runs, cancels and removes; `approve` answers approvals.',
  ),
  isOpen: f.flag('The server asks for no credential.'),
})
export type CallerIdentity = f.AnswerOf<typeof callerSchema>

const buildSchema = f.answer('BuildManifest', 'A build on the machine of the server.', {
  id: f.text("The build's id."),
  target: f.text('The platform that it is for.'),
  createdAt: f.time('The time of the build, in ISO 8601.'),
  folder: f.text('The folder, relative to the project.'),
  agents: f.nullable(f.list(v.string(), 'The agents; null = the project is built by its own configuration.')),
  size: f.text('The size, as the bundler prints it.'),
})
export type BuildManifest = f.AnswerOf<typeof buildSchema>

export const buildListSchema = f.answer('BuildList', 'The builds on the machine of the server.', {
  builds: f.list(buildSchema, 'The builds, newest first.'),
})
export type BuildList = f.AnswerOf<typeof buildListSchema>

export const ticketSchema = f.answer('TicketGrant', 'A ticket, which can be used once.', {
  ticket: f.text('Use it as `?ticket=`, or as the WebSocket subprotocol `ticket.<ticket>`.'),
  expiresAt: f.time('The time at which the ticket expires, in ISO 8601.'),
})
export type TicketGrant = f.AnswerOf<typeof ticketSchema>

export const uploadSchema = f.answer('UploadGrant', 'An uploaded file. Attachments name it as `{ ref_id }`.', {
  ref_id: f.text('The reference of the file.'),
  mime_type: f.text('The type that its uploader named.'),
  size_bytes: f.count('The length of the file.'),
})
export type UploadGrant = f.AnswerOf<typeof uploadSchema>

// The declared answers of the routes about the server: probes, engines, builds, tickets. And every error.
import * as v from 'valibot'
import type {
  AgentDescription,
  AgentList,
  AgentStatus,
  BuildList,
  BuildManifest,
  CallerIdentity,
  EngineList,
  EngineStatus,
  Liveness,
  PlainErrorBody,
  Readiness,
  TicketGrant,
  TypedErrorBody,
  UploadGrant,
} from '../wire.ts'
import {
  type AnswerDescription,
  type AnswerEntries,
  amount,
  answerSchema,
  anyObject,
  count,
  dictionary,
  flag,
  jsonAnswer,
  list,
  nullableText,
  text,
  textAnswer,
  time,
} from './answer-schema.ts'
import { engineEntries, engineInfoSchema } from './session-schemas.ts'

export const livenessAnswer = jsonAnswer('It is alive.', answerSchema<Liveness>('Liveness', { ok: flag }), { ok: true })

const agentStatusEntries: AnswerEntries<AgentStatus> = {
  name: text,
  description: text,
  available: flag,
  needs: v.optional(text),
  closed: v.optional(text),
  credential: v.optional(text),
  warnings: v.optional(list(text)),
  triggers: v.object({ webhook: flag }),
}

const readinessSchema = answerSchema<Readiness>('Readiness', {
  ready: flag,
  message: v.optional(text),
  workspace: v.optional(dictionary(v.nullable(v.union([text, amount, flag])))),
  agents: v.optional(list(answerSchema<AgentStatus>('AgentStatus', agentStatusEntries))),
})

export const readyAnswer = jsonAnswer('It takes requests.', readinessSchema, {
  ready: true,
  workspace: { target: 'node', store: 'sqlite' },
  agents: [{ name: 'scripted', description: 'Plays a script', available: true, triggers: { webhook: false } }],
})

export const notReadyAnswer = jsonAnswer('It goes away, or cannot write its data.', readinessSchema, {
  ready: false,
  message: 'The server is about to stop.',
})

export const agentListAnswer = jsonAnswer(
  '`{ agents }`, each with what it needs, its engine, its models, and the JSON Schema of its input where it has one.',
  answerSchema<AgentList>('AgentList', {
    agents: list(
      answerSchema<AgentDescription>('AgentDescription', {
        ...agentStatusEntries,
        engine: text,
        runner_kind: text,
        capabilities: v.optional(engineInfoSchema),
        models: v.optional(list(text)),
        input_schema: v.nullable(anyObject),
        voice: v.nullable(v.picklist(['realtime', 'cascade'])),
      }),
    ),
  }),
  {
    agents: [
      {
        name: 'scripted',
        description: 'Plays a script',
        available: true,
        triggers: { webhook: false },
        engine: 'scripted',
        runner_kind: 'in_process',
        input_schema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
        voice: null,
      },
    ],
  },
)

export const callerAnswer = jsonAnswer(
  'The user, the tenants and the scopes of the credential.',
  answerSchema<CallerIdentity>('CallerIdentity', {
    user: nullableText,
    tenant: text,
    tenants: list(text),
    scopes: list(v.picklist(['observe', 'operate', 'approve'])),
    isOpen: flag,
  }),
  { user: 'ann', tenant: 'acme', tenants: ['acme', 'lab'], scopes: ['observe', 'operate', 'approve'], isOpen: false },
)

export const engineListAnswer = jsonAnswer(
  'Each event as `native`, `derived` or `none`, and features.',
  answerSchema<EngineList>('EngineList', {
    engines: list(
      answerSchema<EngineStatus>('EngineStatus', {
        ...engineEntries,
        agent: text,
        available: flag,
        needs: v.optional(text),
      }),
    ),
  }),
  {
    engines: [
      {
        agent: 'claude',
        available: true,
        name: 'claude',
        version: '1',
        events: { token: 'native', hook_event: 'none' } as EngineStatus['events'],
        features: {
          resume: true,
          fork: true,
          steer: true,
          interrupt: true,
          editedInput: true,
          intentFirst: true,
          cost: true,
        },
        notes: [],
      },
    ],
  },
)

export const buildListAnswer = jsonAnswer(
  '`{ builds }`, newest first; empty where nothing was built, as on Cloudflare.',
  answerSchema<BuildList>('BuildList', {
    builds: list(
      answerSchema<BuildManifest>('BuildManifest', {
        id: text,
        target: text,
        createdAt: time,
        folder: text,
        agents: v.nullable(list(text)),
        size: text,
      }),
    ),
  }),
  {
    builds: [
      {
        id: 'b-1',
        target: 'cloudflare',
        createdAt: '2026-11-16T09:00:00.000Z',
        folder: 'dist',
        agents: ['hello'],
        size: '310 KiB',
      },
    ],
  },
)

export const ticketAnswer = jsonAnswer(
  '`{ ticket, expiresAt }`; use it as `?ticket=` or as the subprotocol `ticket.<it>`.',
  answerSchema<TicketGrant>('TicketGrant', { ticket: text, expiresAt: time }),
  { ticket: 'q3Zk0fX8', expiresAt: '2026-11-16T09:00:30.000Z' },
)

export const uploadAnswer = jsonAnswer(
  'The file is kept for a day, and from its first use on as long as the session that uses it.',
  answerSchema<UploadGrant>('UploadGrant', { ref_id: text, mime_type: text, size_bytes: count }),
  { ref_id: 'file-6f1c2a7e-0d5b-4c1e-9a53-1f0c6f0f2b11', mime_type: 'application/pdf', size_bytes: 48_211 },
)

export const metricsAnswer = textAnswer(
  'Text exposition format.',
  'text/plain',
  '# TYPE bridle_sessions_loaded gauge\nbridle_sessions_loaded 2\n',
)

export const docsPageAnswer = textAnswer('A page', 'text/html', '<!doctype html><h1>Bridle</h1>')

export const openapiAnswer: AnswerDescription = {
  description: 'OpenAPI 3.1',
  body: { contentType: 'application/json', schema: anyObject, example: { openapi: '3.1.0' } },
}

const warnings = v.optional(list(text))

export const plainErrorSchema = answerSchema<PlainErrorBody>('PlainError', {
  error: text,
  message: v.optional(text),
  field: v.optional(text),
  warnings,
})

export const typedErrorSchema = answerSchema<TypedErrorBody>('TypedError', {
  error: v.object({ type: text, message: text }),
  warnings,
  decision: v.optional(v.picklist(['approved', 'denied', 'expired', 'cancelled'])),
  decidedBy: v.optional(nullableText),
  decidedByClaimed: v.optional(v.literal(true)),
  decidedAt: v.optional(time),
})

export const upgradeRequiredAnswer = jsonAnswer(
  'The caller may come in, but has to ask for a WebSocket.',
  plainErrorSchema,
  { error: 'This is a WebSocket.' },
)

import { type EngineStatus, engineListSchema } from '@bridle/wire/http/wire/engines'
import { plainErrorSchema } from '@bridle/wire/http/wire/errors'
import { anyObject } from '@bridle/wire/http/wire/fields'
import {
  agentListSchema,
  buildListSchema,
  callerSchema,
  livenessSchema,
  readinessSchema,
  ticketSchema,
  uploadSchema,
} from '@bridle/wire/http/wire/server'
import { type AnswerDescription, jsonAnswer, textAnswer } from './answer-schema.ts'

export const livenessAnswer = jsonAnswer('It is alive.', livenessSchema, { ok: true })

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
  agentListSchema,
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

export const callerAnswer = jsonAnswer('The user, the tenants and the scopes of the credential.', callerSchema, {
  user: 'ann',
  tenant: 'acme',
  tenants: ['acme', 'lab'],
  scopes: ['observe', 'operate', 'approve'],
  isOpen: false,
})

export const engineListAnswer = jsonAnswer(
  'Each event as `native`, `derived` or `none`, and features.',
  engineListSchema,
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
  buildListSchema,
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
  ticketSchema,
  { ticket: 'q3Zk0fX8', expiresAt: '2026-11-16T09:00:30.000Z' },
)

export const uploadAnswer = jsonAnswer(
  'The file is kept for a day, and from its first use on as long as the session that uses it.',
  uploadSchema,
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
  body: { contentType: 'application/json', schema: anyObject('The document.'), example: { openapi: '3.1.0' } },
}

export const upgradeRequiredAnswer = jsonAnswer(
  'The caller may come in, but has to ask for a WebSocket.',
  plainErrorSchema,
  { error: 'This is a WebSocket.' },
)

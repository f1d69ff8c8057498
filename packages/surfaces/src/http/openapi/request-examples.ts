// A test validates each example against its route's schema.
import type { JsonObject } from '@bridle/events/json'
import type { Route } from '../router/route.ts'

export const requestExample = ({ method, path }: Pick<Route, 'method' | 'path'>): JsonObject | undefined =>
  examples[`${method} ${path}`]

const reason = { reason: 'The wrong file' }

const openharness = {
  protocol_version: '1.0.0',
  request: {
    auth: { tenant_id: 'default' },
    context: { session_id: 'desk-7', user_intent: 'Copy the total.' },
  },
}

const examples: Readonly<Record<string, JsonObject>> = {
  'post /tickets': { sessionId: 'kitchen', scopes: ['observe'] },
  'post /sessions': {
    agent: 'scripted',
    prompt: 'Write the report',
    max_retries: 2,
    policy: { health: { max_cost_usd: 1 } },
  },
  'patch /sessions/:id': { title: 'The report' },
  'post /sessions/:id/cancel': { ...reason, queue: true },
  'post /sessions/:id/approvals/:approvalId/approve': { args: { path: 'b.txt' } },
  'post /sessions/:id/approvals/:approvalId/reject': reason,
  'post /sessions/:id/approvals/:approvalId/answer': { answers: { db: 'SQLite' } },
  'post /sessions/:id/archive': { reason: 'Done' },
  'post /sessions/:id/unarchive': { reason: 'There is more to do' },
  'post /sessions/:id/signal': { name: 'paid', payload: { number: 'AD-1' } },
  'post /sessions/:id/memory/:proposalId': { decision: 'accept' },
  'post /agents/:name/:id': { prompt: 'Hello' },
  'post /chat/sessions': { agent: 'scripted', title: 'Tea on Friday' },
  'post /chat/sessions/:id/turns': { prompt: 'Hello' },
  'post /chat/sessions/:id/branch': { from_event_id: 'ev-12', prompt: 'Try it another way' },
  'post /sessions/:id/pause': reason,
  'post /sessions/:id/resume': { reason: 'The file is right now' },
  'post /sessions/:id/policy': { policy: { health: { max_cost_usd: 5 } }, reason: 'It may cost more' },
  'post /sessions/:id/replay': { model: 'anthropic/claude-sonnet-4-5' },
  'post /v1/openharness': openharness,
  'post /openharness': openharness,
}

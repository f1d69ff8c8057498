// The name of an actor is either that of a credential's user, or what a caller says of itself.
import { expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { bearer, scriptBody } from '../test-client.suite.ts'

const tokens = [{ token: 'op' }, { token: 'ann', user: 'ann' }]

test.each([
  ['a token without a user', 'op', { actor: 'ceo@corp' }, 'ceo@corp', true],
  ['a token with a user', 'ann', { actor: 'ceo@corp' }, 'ann', undefined],
  ['a token without a user, and no name', 'op', {}, null, undefined],
])('[H13] what %s approves names its actor, and whether that is a claim', async (_, token, body, actor, claimed) => {
  const { get, post } = testApp({ tokens })
  await post('/agents/scripted/s', scriptBody({ approve: 'transfer' }), { ...bearer('op'), prefer: 'respond-async' })
  const [open] = (await get('/approvals', bearer('op'))).body.approvals as { id: string }[]
  await post(`/sessions/s/approvals/${open?.id}/approve`, { ...body, pause: true }, bearer(token))
  await post('/sessions/s/resume', { ...body, reason: 'go on' }, bearer(token))

  const { audit } = (await get('/sessions/s/audit', bearer('op'))).body as { audit: Record<string, unknown>[] }
  const acts = audit.filter(({ action }) => action !== 'approval_requested')
  const about = { actor, actor_claimed: claimed }
  expect(acts.map(({ action, actor, actor_claimed }) => ({ action, actor, actor_claimed }))).toEqual(
    ['resumed', 'paused', 'approval_approved'].map((action) => ({ action, ...about })),
  )
  const detail = (await get('/chat/sessions/s', bearer('op'))).body as { health: { audit: Record<string, unknown>[] } }
  expect(detail.health.audit.at(-1)).toMatchObject({ action: 'resumed', ...(claimed && { actor_claimed: true }) })
  const settled = (await get('/approvals?status=decided', bearer('op'))).body.approvals as Record<string, unknown>[]
  expect([settled[0]?.decidedBy, settled[0]?.decidedByClaimed]).toEqual([actor, claimed])
  const { entries } = (await get('/sessions/s/log', bearer('op'))).body as {
    entries: { type: string; payload: Record<string, unknown> }[]
  }
  const claims = entries.filter(({ payload }) => payload.actor_claimed !== undefined).map(({ type }) => type)
  expect(claims).toEqual(claimed ? ['approval_decided', 'approval_applied', 'session_paused', 'session_resumed'] : [])
})

// The next command of a client, from what it can see: often sensible, sometimes not.
import type { SessionOptions } from '@bridle/kernel/commands'
import type { Key } from '@bridle/kernel/event'
import type { SessionHistory, StoreModel } from './model.ts'
import type { Prng } from './prng.ts'
import type { ClientAction } from './requests.ts'
import { drawPrompt } from './scripts.ts'

export const drawClientAction = (
  prng: Prng,
  model: StoreModel,
  keys: readonly Key[],
  marker: string,
  now: number,
): ClientAction => {
  const key = prng.pick(keys)
  const life = model.current(key)
  if (!life || prng.chance(0.3)) return submit(prng, key, marker, now)
  const command = (command: Extract<ClientAction, { kind: 'command' }>['command']): ClientAction => ({
    kind: 'command',
    key,
    command,
  })
  const actor = marker
  switch (prng.weighted(weights(life))) {
    case 'submit':
      return submit(prng, key, marker, now)
    case 'steer':
      return command({ type: 'steer', prompt: drawPrompt(prng, marker), actor })
    case 'edit': {
      const messages = life.state.conversation.messages.filter(({ role }) => role === 'user')
      const messageId = prng.pick(messages)?.id ?? 'm-0'
      return command({ type: 'edit', messageId, prompt: drawPrompt(prng, marker), actor })
    }
    case 'reload': {
      const message = prng.pick(life.state.conversation.messages)
      return command({ type: 'reload', actor, ...(prng.chance(0.5) && message && { messageId: message.id }) })
    }
    case 'cancel': {
      const runId = prng.pick([...life.ledger.runs.keys()])
      return command({
        type: 'cancel',
        actor,
        ...(prng.chance(0.4) && runId !== undefined && { runId }),
        ...(prng.chance(0.2) && { queue: true }),
      })
    }
    case 'approve': {
      const approvalId = prng.pick([...life.ledger.approvals.keys()].slice(-3)) ?? 'apr-0'
      const decision = prng.chance(0.7) ? 'approved' : 'denied'
      const args = decision === 'approved' && prng.chance(0.3) ? { n: prng.int(10, 99) } : undefined
      return command({ type: 'approve', approvalId, decision, actor, ...(args && { args }) })
    }
    case 'pause':
      return command({ type: 'pause', actor })
    case 'resume':
      return command({ type: 'resume', actor })
    case 'policy':
      return command({ type: 'set_policy', policy: drawPolicy(prng), actor })
    case 'create':
      return command({ type: 'create' })
    case 'branch': {
      const child = { ...key, id: prng.pick(['b1', 'b2', 'b3']) }
      const oldest = prng.chance(0.3) ? life.root.base : life.head - 30
      return { kind: 'branch', key: child, parent: key, seq: prng.int(Math.max(1, oldest), life.head) }
    }
    case 'remove':
      return { kind: 'remove', key }
  }
}

const weights = ({ state }: SessionHistory) => ({
  submit: 2,
  steer: state.lifecycle.run?.steerable ? 3 : 1,
  edit: state.lifecycle.run ? 0.2 : 1,
  reload: state.lifecycle.run ? 0.2 : 1,
  cancel: 1,
  approve: Object.keys(state.approvals.open).length > 0 ? 8 : 0.3,
  pause: 1,
  resume: state.lifecycle.paused ? 6 : 0.2,
  policy: 0.3,
  create: 0.1,
  branch: 1,
  remove: 0.5,
})

const submit = (prng: Prng, key: Key, marker: string, now: number): ClientAction => ({
  kind: 'command',
  key,
  command: { type: 'submit', prompt: drawPrompt(prng, marker), actor: marker, opening: drawOpening(prng, now) },
})

const drawOpening = (prng: Prng, now: number): SessionOptions =>
  prng.chance(0.5)
    ? {}
    : {
        kind: 'background',
        maxRetries: prng.int(0, 2),
        ...(prng.chance(0.2) && { expiresAt: now + prng.pick([500, 10_000, 100_000]) }),
        ...(prng.chance(0.3) && { policy: drawPolicy(prng) }),
      }

const drawPolicy = (prng: Prng) => ({
  health: {
    ...(prng.chance(0.5) && { max_total_tokens: prng.int(5, 60) }),
    ...(prng.chance(0.3) && { max_failed_tool_calls: prng.int(0, 3) }),
    ...(prng.chance(0.2) && { max_runtime_minutes: prng.pick([0.01, 0.1]) }),
    action: prng.pick(['request_approval', 'pause'] as const),
  },
})

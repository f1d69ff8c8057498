import { present } from '@bridle/events/json'
import { defineCommand, sessionOptions } from '../command/command.ts'
import { createClient } from '../config/settings.ts'
import { parseJson } from '../runs/run-input.ts'
import { withSession } from '../session-ids/session-prefix.ts'

export const signal = defineCommand({
  options: {
    key: { type: 'string', value: 'ID', help: 'sent twice with the same key, it takes effect once' },
    actor: { type: 'string', value: 'NAME', help: 'the person or program that sends it' },
    ...sessionOptions,
  },
  notes: 'The payload is JSON: \'{"paid":true}\', 3, \'"a text"\'. Without one it is null.',
  run: async ({ args, flags, env, out }) => {
    const [session = '', name = '', json] = args
    const { key, actor, agent } = flags
    const payload = json === undefined ? null : parseJson('The payload', json)
    const fabric = await createClient(flags, env)
    const options = present({ idempotencyKey: key, actor, agent })
    const { sessionId, runId } = await withSession(fabric, session, agent, (id) =>
      fabric.signal(id, name, payload, options),
    )
    if (out.isJson) out.row({ sessionId, runId, name })
    else out.line(`Sent ${name} to ${sessionId}.`)
  },
})

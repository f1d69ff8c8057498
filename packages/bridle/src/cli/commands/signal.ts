// `bridle signal` sends a signal to the run of a session.
import { FabricError } from '../../client/index.ts'
import { present } from '../../kernel/json.ts'
import { clientOptions, defineCommand, EXIT_CODES, ExitError, outputOptions } from '../command.ts'
import { createClient } from '../config/settings.ts'
import { parseJson } from '../runs/run-input.ts'

export const signal = defineCommand({
  summary: 'send a signal to a run that waits for it',
  argumentNames: ['<session>', '<name>', '[json]'],
  options: {
    key: { type: 'string', value: 'ID', help: 'sent twice with the same key, it takes effect once' },
    actor: { type: 'string', value: 'NAME', help: 'the person or program that sends it' },
    agent: { type: 'string', value: 'NAME', help: 'the agent, if several have a session of this id' },
    ...clientOptions,
    ...outputOptions,
  },
  notes: 'The payload is JSON: \'{"paid":true}\', 3, \'"a text"\'. Without one it is null.',
  run: async ({ args, flags, env, out }) => {
    const [session = '', name = '', json] = args
    const { key, actor, agent } = flags
    const payload = json === undefined ? null : parseJson('The payload', json)
    const fabric = await createClient(flags, env)
    const options = present({ idempotencyKey: key, actor, agent })
    const { sessionId, runId } = await fabric.signal(session, name, payload, options).catch((error: unknown) => {
      if (!(error instanceof FabricError) || error.status !== 404) throw error
      throw new ExitError(EXIT_CODES.failed, `There is no session ${session}.`)
    })
    if (out.isJson) out.row({ sessionId, runId, name })
    else out.line(`Sent ${name} to ${session}.`)
    return EXIT_CODES.ok
  },
})

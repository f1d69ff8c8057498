// `bridle cancel` stops the run in progress.
import { present } from '../../kernel/json.ts'
import { actOptions, agentOption, clientOptions, defineCommand, EXIT_CODES, outputOptions } from '../command.ts'
import { createClient } from '../config/settings.ts'
import { withSession } from '../session-ids/session-prefix.ts'

export const cancel = defineCommand({
  options: {
    run: { type: 'string', value: 'ID', help: 'this run, also one that is queued; else the one in progress' },
    queue: { type: 'boolean', help: 'the prompts that wait for their turn, too' },
    ...actOptions,
    ...agentOption,
    ...clientOptions,
    ...outputOptions,
  },
  notes: 'The session stays, and takes the next prompt. Where nothing runs, nothing happens, and the exit code is 0.',
  run: async ({ args: [session = ''], flags, env, out }) => {
    const { run: runId, queue, reason, actor, agent } = flags
    const fabric = await createClient(flags, env)
    const { id, cancelled, status, ...card } = await withSession(fabric, session, agent, (each) =>
      fabric.cancel(each, present({ runId, queue, reason, actor, agent })),
    )
    if (out.isJson) out.row({ sessionId: id, agent: card.agent, cancelled, status })
    else if (cancelled) out.line(`Cancelled the run of ${id}.`)
    else out.line(`Nothing was running in ${id}.`)
    return EXIT_CODES.ok
  },
})

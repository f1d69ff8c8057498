import { present } from '@bridle/events/json'
import { actOptions, type CliFlags, type CliInvocation, defineCommand, sessionOptions } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { createClient, repeatedFlags } from '../config/settings.ts'
import { sessionFlags } from '../session-ids/session-flags.ts'
import { withSession } from '../session-ids/session-prefix.ts'

const options = { ...actOptions, ...sessionOptions } as const

export const pause = defineCommand({
  options,
  notes: 'Prompts that arrive while it is paused wait. bridle resume lets it continue.',
  run: (call) => act('pause', call),
})

export const resume = defineCommand({ options, run: (call) => act('resume', call) })

const act = async (
  verb: 'pause' | 'resume',
  { args: [session = ''], flags, env, out }: CliInvocation<CliFlags<typeof options>>,
): Promise<undefined> => {
  const { reason, actor, agent } = flags
  const fabric = await createClient(flags, env)
  const card = await withSession(fabric, session, agent, (id) => fabric[verb](id, present({ reason, actor, agent })))
  const { id, paused, status } = card
  if (out.isJson) out.row({ sessionId: id, agent: card.agent, paused, status })
  else if (paused) {
    const words = await sessionFlags(fabric, { id, agent }, repeatedFlags(flags))
    out.line(`Paused ${id}. Continue with ${commandName()} resume ${id}${words}`)
  } else out.line(`${id} continues; it is ${status}.`)
}

import type { FabricClient, PolicyRequest } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { actOptions, defineCommand, sessionOptions, usageError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { createClient, repeatedFlags } from '../config/settings.ts'
import { confirmedContinuation, continuationOptions } from '../imports/import-confirmation.ts'
import { parseJsonObject } from '../runs/run-input.ts'
import { sessionFlags } from '../session-ids/session-flags.ts'
import { findSession, withSession } from '../session-ids/session-prefix.ts'
import { UnknownAgentError } from '../session-ids/unknown-agent.ts'

export const rerun = defineCommand({
  options: {
    model: { type: 'string', value: 'NAME', help: 'another model: provider/model-id, or a name of the engine' },
    policy: { type: 'string', value: 'JSON', help: `other budgets, such as '{"health":{"max_cost_usd":1}}'` },
    mode: { type: 'string', value: 'MODE', help: 'plan lets an engine read and not write; normal does not' },
    think: { type: 'string', value: 'LEVEL', help: 'how much the model thinks, in the word of the engine' },
    from: { type: 'string', value: 'MESSAGE', help: 'the id of the prompt to begin with; else the first' },
    title: { type: 'string', value: 'TEXT', help: 'the title of the new session' },
    ...continuationOptions,
    ...actOptions,
    ...sessionOptions,
  },
  notes: `The session itself does not change: a new one runs. Without a change the agent as it is now answers again.
The agent stays the same: another one has other inputs, tools and history.
The prompts of an imported session are shown first; a script confirms them with --confirm.
Standard output has the id of the new session alone. To watch the past without running it, use bridle replay.`,
  run: async ({ args: [session = ''], flags, env, out }) => {
    const { model, mode, think, from, title, reason, actor, agent } = flags
    const policy = flags.policy === undefined ? undefined : (parseJsonObject('--policy', flags.policy) as PolicyRequest)
    const chosen = present({ permission_mode: mode as 'normal' | 'plan' | undefined, think_level: think })
    const settings = Object.keys(chosen).length === 0 ? undefined : chosen
    const fabric = await createClient(flags, env)
    const patient = await createClient(flags, env, undefined, { answerMs: null })
    const change = present({ model, policy, settings, title, from_message: from, reason, actor, agent })
    const replay = async (id: string) => {
      const detail = await fabric.session(id, agent)
      return patient.replay(id, { ...change, ...(await confirmedContinuation(detail, { flags, env, out })) })
    }
    const made = await withSession(fabric, session, agent, replay).catch(async (error: unknown) => {
      if (error instanceof UnknownAgentError) throw error
      const other = agent === undefined ? null : await sessionOf(fabric, session)
      // This agent's session was refused for another reason, such as an unknown model.
      if (other === null || other.agent === agent) throw error
      throw usageError(
        `${other.id} is a session of ${other.agent}, and a rerun keeps the agent. Ask another one with ${commandName(env)} run ${agent} "…"${repeatedFlags(flags)}`,
      )
    })
    const { id: sessionId, parent, prompts, status } = made
    if (out.isJson) out.row({ sessionId, agent: made.agent, parent, prompts, status })
    else {
      out.line(sessionId)
      const again = prompts === 1 ? `1 prompt of ${parent.id} is` : `${prompts} prompts of ${parent.id} are`
      const words = await sessionFlags(fabric, { id: sessionId, agent: made.agent }, repeatedFlags(flags))
      out.note(`${again} asked again. Watch it with ${commandName(env)} attach ${sessionId}${words}`)
    }
  },
})

/** Finds the session regardless of its agent. Null if there is none or several. */
const sessionOf = (fabric: FabricClient, session: string) => findSession(fabric, session, undefined).catch(() => null)

// `bridle completion` prints a script for a shell, which asks it in turn for the ids of sessions.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FabricClient } from '@bridle/client/index'
import { type CliCommand, clientOptions, defineCommand, usageError } from '../command/command.ts'
import { completionVerbs, shellScripts } from '../completion/shell-scripts.ts'
import { createClient, serverAddress } from '../config/settings.ts'
import type { VerbRow } from '../verbs.ts'

/** A completion that takes longer feels like a terminal that hangs. */
const COMPLETION_MS = 800
/** Session ids that a completion offers; the shell filters them by what was typed. */
const COMPLETION_IDS_MAX = 200

/** The command for this table of verbs, which has the command in it. */
export const completionOf = (verbs: { readonly [name: string]: VerbRow }): CliCommand =>
  defineCommand({
    options: clientOptions,
    notes: `In ~/.bashrc:
  eval "$(bridle completion bash)"
In ~/.zshrc, behind compinit:
  eval "$(bridle completion zsh)"
For fish, once:
  bridle completion fish > ~/.config/fish/completions/bridle.fish

Tab completes fh and bridle: verbs, flags, agents, and the ids of sessions, if a server answers within a moment.
Words behind npx are not completed; those behind a function in the same file are:
  bridle() { npx bridle "$@"; }
The scripts call bridle itself, with completion sessions and completion agents, which print a name per line.`,
    run: async ({ args: [shell = ''], flags, env, out }) => {
      const script = Object.hasOwn(shellScripts, shell) ? shellScripts[shell] : undefined
      const names = Object.hasOwn(nameLists, shell) ? nameLists[shell] : undefined
      if (script) {
        out.write(script(await completionVerbs(verbs)))
      } else if (names) {
        // A Tab must never print an error, nor hang: without an answer there is nothing to offer.
        const found = serverAddress(flags, env)
          .then(({ url, authToken }) => createClient(flags, env, { url, authToken }))
          .then(names)
        const late = sleep(COMPLETION_MS, [] as readonly string[], { ref: false })
        // A shell expands the words that it is offered: a server could run commands with a name such as $(...).
        for (const name of await Promise.race([found.catch(() => []), late])) if (PLAIN_NAME.test(name)) out.line(name)
      } else
        throw usageError(
          `There is no completion for "${shell}"; there is one for ${Object.keys(shellScripts).join(', ')}.`,
        )
    },
  })

/** As ids and the names of agents are. */
const PLAIN_NAME = /^[\w.:@-]+$/

const nameLists: { readonly [list: string]: (fabric: FabricClient) => Promise<readonly string[]> } = {
  sessions: async (fabric) =>
    (await fabric.sessions({ limit: COMPLETION_IDS_MAX, archived: 'all' })).sessions.map(({ id }) => id),
  agents: async (fabric) => (await fabric.agents()).agents.map(({ name }) => name),
}

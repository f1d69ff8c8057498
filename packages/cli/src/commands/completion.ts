import { setTimeout as sleep } from 'node:timers/promises'
import type { FabricClient } from '@bridle/client/index'
import { type CliCommand, clientOptions, defineCommand, usageError } from '../command/command.ts'
import { completionVerbs, shellScripts } from '../completion/shell-scripts.ts'
import { createClient, serverAddress } from '../config/settings.ts'
import type { VerbRow } from '../verbs.ts'

/** Slower completion feels like a hanging terminal. */
const COMPLETION_MS = 800
/** The shell filters them by what was typed. */
const COMPLETION_IDS_MAX = 200

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
        // A Tab must never print an error or hang, so offer nothing without a response.
        const found = serverAddress(flags, env)
          .then(({ url, authToken }) => createClient(flags, env, { url, authToken }))
          .then(names)
        const late = sleep(COMPLETION_MS, [] as readonly string[], { ref: false })
        // Shells expand completions, so a name such as $(...) could run commands.
        for (const name of await Promise.race([found.catch(() => []), late])) if (PLAIN_NAME.test(name)) out.line(name)
      } else
        throw usageError(
          `There is no completion for "${shell}"; there is one for ${Object.keys(shellScripts).join(', ')}.`,
        )
    },
  })

const PLAIN_NAME = /^[\w.:@-]+$/

const nameLists: { readonly [list: string]: (fabric: FabricClient) => Promise<readonly string[]> } = {
  sessions: async (fabric) =>
    (await fabric.sessions({ limit: COMPLETION_IDS_MAX, archived: 'all' })).sessions.map(({ id }) => id),
  agents: async (fabric) => (await fabric.agents()).agents.map(({ name }) => name),
}

// The table of verbs, so that help and completion need not load any command.
import type { CliCommand } from './command/command.ts'

export interface VerbRow {
  /** In order: `<agent>` is required, `[prompt]` optional. `<session>` accepts a prefix of an id. */
  readonly argumentNames: readonly string[]
  /** Name of the remaining arguments. */
  readonly restName?: string
  readonly summary: string
  /** Without the program name. */
  readonly example: string
  readonly load: () => Promise<CliCommand>
}

export type VerbTable = { readonly [name: string]: VerbRow }

export const verbGroups: { readonly [heading: string]: VerbTable } = {
  Start: {
    init: {
      argumentNames: ['[folder]'],
      summary: 'write a project of your own',
      example: 'init my-agents --template agent',
      load: async () => (await import('./commands/init.ts')).init,
    },
    start: {
      argumentNames: [],
      summary: 'serve agents and their sessions',
      example: 'start --port 8080',
      load: async () => (await import('./commands/start.ts')).start,
    },
    dev: {
      argumentNames: [],
      summary: 'serve, take up changes, show what runs',
      example: 'dev',
      load: async () => (await import('./commands/dev.ts')).dev,
    },
    doctor: {
      argumentNames: [],
      summary: 'say what works here and what does not',
      example: 'doctor',
      load: async () => (await import('./commands/doctor.ts')).doctor,
    },
    completion: {
      argumentNames: ['<shell>'],
      summary: 'print the completion for bash, zsh or fish',
      example: 'completion bash > ~/.bridle-completion.sh',
      load: async () => (await import('./commands/completion.ts')).completionOf(verbs),
    },
  },
  Talk: {
    chat: {
      argumentNames: ['[agent]'],
      summary: 'talk with an agent in the terminal',
      example: 'chat scripted',
      load: async () => (await import('./commands/chat.ts')).chat,
    },
    run: {
      argumentNames: ['<agent>', '[prompt]'],
      summary: 'run an agent and watch it',
      example: 'run scripted "Hello" --id hello',
      load: async () => (await import('./commands/run.ts')).run,
    },
    attach: {
      argumentNames: ['<session>'],
      summary: 'watch a session live',
      example: 'attach hello --replay 20',
      load: async () => (await import('./commands/attach.ts')).attach,
    },
  },
  Look: {
    sessions: {
      argumentNames: [],
      summary: 'list sessions',
      example: 'sessions --status awaiting_approval',
      load: async () => (await import('./commands/sessions.ts')).sessions,
    },
    inspect: {
      argumentNames: ['<session>'],
      summary: 'show one session: status, cost, health …',
      example: 'inspect hello',
      load: async () => (await import('./commands/inspect.ts')).inspect,
    },
    logs: {
      argumentNames: ['<session>'],
      summary: 'print the events of a session',
      example: 'logs hello -f --type tool_call',
      load: async () => (await import('./commands/logs.ts')).logs,
    },
    health: {
      argumentNames: ['[session]'],
      summary: 'show which sessions are in trouble',
      example: 'health -w',
      load: async () => (await import('./commands/health.ts')).health,
    },
    agents: {
      argumentNames: [],
      summary: 'list agents and what each needs',
      example: 'agents',
      load: async () => (await import('./commands/agents.ts')).agents,
    },
    checkpoints: {
      argumentNames: ['<session>'],
      summary: 'list the points to branch from',
      example: 'checkpoints hello',
      load: async () => (await import('./commands/checkpoints.ts')).checkpoints,
    },
    replay: {
      argumentNames: ['<file|session>'],
      summary: 'watch a past session again',
      example: 'replay hello.jsonl --speed 4x',
      load: async () => (await import('./commands/replay.ts')).replay,
    },
    open: {
      argumentNames: ['[session]'],
      summary: 'open the cockpit in a browser',
      example: 'open hello',
      load: async () => (await import('./commands/open.ts')).open,
    },
  },
  Steer: {
    approvals: {
      argumentNames: [],
      summary: 'list the open approvals and questions',
      example: 'approvals',
      load: async () => (await import('./commands/approvals.ts')).approvals,
    },
    approve: {
      argumentNames: ['<session>', '<approvalId>'],
      summary: 'let a call go ahead',
      example: 'approve hello apr-5 --edit',
      load: async () => (await import('./commands/approve-reject.ts')).approve,
    },
    reject: {
      argumentNames: ['<session>', '<approvalId>'],
      summary: 'refuse a call, or decline a question',
      example: 'reject hello apr-5 --reason "Not on Fridays"',
      load: async () => (await import('./commands/approve-reject.ts')).reject,
    },
    answer: {
      argumentNames: ['<session>', '<approvalId>'],
      restName: '[name=value …]',
      summary: 'answer a question',
      example: 'answer hello apr-5 db=SQLite',
      load: async () => (await import('./commands/answer.ts')).answer,
    },
    signal: {
      argumentNames: ['<session>', '<name>', '[json]'],
      summary: 'send a signal to a run that waits for it',
      example: `signal hello paid '{"amount":3}'`,
      load: async () => (await import('./commands/signal.ts')).signal,
    },
    cancel: {
      argumentNames: ['<session>'],
      summary: 'stop the run in progress',
      example: 'cancel hello --reason "Wrong file"',
      load: async () => (await import('./commands/cancel.ts')).cancel,
    },
    pause: {
      argumentNames: ['<session>'],
      summary: 'pause a session',
      example: 'pause hello',
      load: async () => (await import('./commands/pause-resume.ts')).pause,
    },
    resume: {
      argumentNames: ['<session>'],
      summary: 'let a paused session continue',
      example: 'resume hello',
      load: async () => (await import('./commands/pause-resume.ts')).resume,
    },
    branch: {
      argumentNames: ['<session>', '[prompt]'],
      summary: 'continue a session from an earlier point',
      example: 'branch hello "Try it in French" --from ev-12',
      load: async () => (await import('./commands/branch.ts')).branch,
    },
    rerun: {
      argumentNames: ['<session>'],
      summary: 'ask the same prompts again, in a branch',
      example: 'rerun hello --model openai/gpt-5',
      load: async () => (await import('./commands/rerun.ts')).rerun,
    },
    delete: {
      argumentNames: ['<session>'],
      summary: 'erase a session',
      example: 'delete hello',
      load: async () => (await import('./commands/delete.ts')).deleteSession,
    },
  },
  Files: {
    artifacts: {
      argumentNames: ['<session>', '[artifact]'],
      summary: 'list artifacts, or save one',
      example: 'artifacts hello report.md -o report.md',
      load: async () => (await import('./commands/artifacts.ts')).artifacts,
    },
    apply: {
      argumentNames: ['<session>'],
      summary: 'bring the changes of a session into your repository',
      example: 'apply claude-1',
      load: async () => (await import('./commands/apply.ts')).apply,
    },
    export: {
      argumentNames: ['[session]'],
      summary: 'write sessions into a file',
      example: 'export hello -o hello.jsonl',
      load: async () => (await import('./commands/export.ts')).exportSessions,
    },
    import: {
      argumentNames: ['<file>'],
      summary: 'read sessions from a file that export wrote',
      example: 'import hello.jsonl',
      load: async () => (await import('./commands/import.ts')).importSessions,
    },
    backup: {
      argumentNames: ['<folder>'],
      summary: 'copy the data folder of a server that works',
      example: 'backup backup-monday',
      load: async () => (await import('./commands/backup.ts')).backup,
    },
  },
  Server: {
    build: {
      argumentNames: [],
      summary: 'bundle agents/ for a target',
      example: 'build --target cloudflare',
      load: async () => (await import('./commands/build.ts')).build,
    },
    runner: {
      argumentNames: [],
      summary: 'play runs for a server, inside a sandbox',
      example: 'runner --port 4318',
      load: async () => (await import('./commands/runner.ts')).runner,
    },
    conformance: {
      argumentNames: ['<url>'],
      summary: 'play the protocol pages against a server',
      example: 'conformance http://127.0.0.1:4317',
      load: async () => (await import('./commands/conformance.ts')).conformance,
    },
  },
}

export const verbs: VerbTable = Object.assign({}, ...Object.values(verbGroups))

export const otherWord = (name: string): string | null => OTHER_WORDS.get(name.toLowerCase()) ?? null

const OTHER_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    init: ['new', 'create', 'scaffold'],
    start: ['serve', 'server', 'up'],
    doctor: ['check', 'status'],
    run: ['ask', 'exec', 'prompt'],
    attach: ['watch', 'follow'],
    sessions: ['list', 'ls', 'ps'],
    inspect: ['show', 'get', 'info'],
    logs: ['log', 'tail', 'events'],
    open: ['cockpit', 'ui', 'web'],
    approvals: ['inbox', 'pending'],
    approve: ['allow', 'accept'],
    answer: ['reply', 'respond'],
    reject: ['deny', 'refuse', 'decline'],
    cancel: ['stop', 'kill', 'abort'],
    resume: ['continue', 'unpause'],
    branch: ['fork'],
    rerun: ['retry', 'again'],
    delete: ['rm', 'remove', 'erase'],
    build: ['bundle', 'deploy'],
  }).flatMap(([verb, words]) => words.map((word) => [word, verb] as const)),
)

// Every action of the cockpit, once: its words, its keys and its place. Buttons, keys, the palette and the sheet of shortcuts read this table;
// the page that can do an action offers it (`useAction`).
import type { IconName } from '../ui/icon-names.ts'

export const ACTION_GROUPS = [
  'Everywhere',
  'Lists',
  'Timeline',
  'Session',
  'Time',
  'Debug',
  'Approvals',
  'Copy',
] as const
export type ActionGroup = (typeof ACTION_GROUPS)[number]

export interface ActionRow {
  readonly words: string
  readonly group: ActionGroup
  readonly icon: IconName
  /** As `Ctrl+k`, `Shift+x`, or `g i` for one after the other. */
  readonly keys?: string
  /**
   * page: the keys work wherever nobody types (the default). typing: also while somebody types. part: a part of the page reads them
   * itself, where it has the focus; an offer can also give them to the whole page.
   */
  readonly scope?: 'page' | 'typing' | 'part'
  /** A key that is held does it again and again: steps, which nobody minds. */
  readonly repeats?: true
}

export const actionTable = {
  'palette.open': { words: 'Search or run', group: 'Everywhere', icon: 'search', keys: 'Ctrl+k', scope: 'typing' },
  'shortcuts.open': { words: 'Keyboard shortcuts', group: 'Everywhere', icon: 'keyboard', keys: '?' },
  'search.focus': { words: 'Search on this page', group: 'Everywhere', icon: 'search', keys: '/' },
  'page.inbox': { words: 'Go to Inbox', group: 'Everywhere', icon: 'inbox', keys: 'g i' },
  'page.sessions': { words: 'Go to Sessions', group: 'Everywhere', icon: 'layers', keys: 'g s' },
  'page.health': { words: 'Go to Health', group: 'Everywhere', icon: 'activity', keys: 'g h' },
  'page.agents': { words: 'Go to Agents', group: 'Everywhere', icon: 'bot', keys: 'g a' },
  'page.import': { words: 'Import a session', group: 'Everywhere', icon: 'upload' },
  'page.replay': { words: 'Replay an export file', group: 'Everywhere', icon: 'history' },
  'page.routes': { words: 'Go to Routes', group: 'Everywhere', icon: 'route' },
  'page.debug': { words: 'Go to Debug', group: 'Everywhere', icon: 'terminal', keys: 'g d' },
  'debug.toggle': { words: 'Debug, on or off', group: 'Everywhere', icon: 'terminal', keys: 'Ctrl+.', scope: 'typing' },
  'theme.system': { words: 'Theme of the system', group: 'Everywhere', icon: 'monitor' },
  'theme.light': { words: 'Light theme', group: 'Everywhere', icon: 'sun' },
  'theme.dark': { words: 'Dark theme', group: 'Everywhere', icon: 'moon' },
  'tenant.choose': { words: 'Switch to tenant', group: 'Everywhere', icon: 'chevrons-up-down' },
  'user.sign_out': { words: 'Sign out', group: 'Everywhere', icon: 'log-out' },

  'list.next': { words: 'Next row', group: 'Lists', icon: 'arrow-down', keys: 'j', repeats: true },
  'list.previous': { words: 'Previous row', group: 'Lists', icon: 'arrow-up', keys: 'k', repeats: true },
  'list.open': { words: 'Open the row', group: 'Lists', icon: 'arrow-up-right', keys: 'Enter', scope: 'part' },
  'list.select': { words: 'Select the row', group: 'Lists', icon: 'check', keys: 'x' },
  'list.select_to': { words: 'Select up to here', group: 'Lists', icon: 'list-end', keys: 'Shift+x' },
  'list.clear': { words: 'Select nothing', group: 'Lists', icon: 'x', keys: 'Escape' },
  'list.undo': { words: 'Undo what was announced', group: 'Lists', icon: 'history', keys: 'Ctrl+z' },
  'session.new': { words: 'New session', group: 'Lists', icon: 'plus', keys: 'n' },
  'list.pause': { words: 'Pause the selected', group: 'Lists', icon: 'pause' },
  'list.resume': { words: 'Resume the selected', group: 'Lists', icon: 'play' },
  'list.cancel': { words: 'Stop the selected', group: 'Lists', icon: 'square' },
  'list.archive': { words: 'Archive the selected', group: 'Lists', icon: 'archive' },
  'list.unarchive': { words: 'Unarchive the selected', group: 'Lists', icon: 'archive' },
  'inbox.notify': { words: 'Notify me of approvals, on or off', group: 'Lists', icon: 'bell' },

  'timeline.zoom_in': { words: 'Zoom in', group: 'Timeline', icon: 'zoom-in', keys: '+', repeats: true },
  'timeline.zoom_out': { words: 'Zoom out', group: 'Timeline', icon: 'zoom-out', keys: '-', repeats: true },
  'timeline.fit': { words: 'Show the whole time', group: 'Timeline', icon: 'columns-2', keys: '0' },
  'timeline.earlier': {
    words: 'Earlier time',
    group: 'Timeline',
    icon: 'chevron-left',
    keys: 'ArrowLeft',
    repeats: true,
  },
  'timeline.later': {
    words: 'Later time',
    group: 'Timeline',
    icon: 'chevron-right',
    keys: 'ArrowRight',
    repeats: true,
  },
  'timeline.next': { words: 'Next call', group: 'Timeline', icon: 'arrow-down', keys: 'ArrowDown', repeats: true },
  'timeline.previous': { words: 'Previous call', group: 'Timeline', icon: 'arrow-up', keys: 'ArrowUp', repeats: true },
  'timeline.open': { words: 'Show the call', group: 'Timeline', icon: 'eye', keys: 'Enter', scope: 'part' },
  'timeline.branch': { words: 'Branch before the call', group: 'Timeline', icon: 'git-branch', keys: 'b' },
  'timeline.close': { words: 'Close the call', group: 'Timeline', icon: 'x', keys: 'Escape' },
  'timeline.axis': { words: 'Calls only, or clock time', group: 'Timeline', icon: 'hourglass' },
  'timeline.filter': { words: 'Show calls', group: 'Timeline', icon: 'list' },

  'message.write': { words: 'Write to the agent', group: 'Session', icon: 'message-square' },
  'message.send': {
    words: 'Send, or queue during a run',
    group: 'Session',
    icon: 'send',
    keys: 'Enter',
    scope: 'part',
  },
  'message.steer': {
    words: 'Steer the run',
    group: 'Session',
    icon: 'corner-down-right',
    keys: 'Ctrl+Enter',
    scope: 'part',
  },
  'message.attach': { words: 'Attach a file', group: 'Session', icon: 'upload' },
  'message.edit': { words: 'Edit the last prompt', group: 'Session', icon: 'pencil' },
  'message.reload': { words: 'Answer again', group: 'Session', icon: 'rotate-cw' },
  'message.unqueue': { words: 'Remove from the queue', group: 'Session', icon: 'x' },
  'session.branch': { words: 'Branch from here', group: 'Session', icon: 'git-branch' },
  'session.branch_after': { words: 'Branch from the last answer', group: 'Session', icon: 'git-branch' },
  'session.branch_checkpoint': { words: 'Branch from checkpoint', group: 'Session', icon: 'flag' },
  'session.replay': { words: 'Run again with a change', group: 'Session', icon: 'rotate-cw' },
  'branches.compare_a': { words: 'Compare as A', group: 'Session', icon: 'columns-2' },
  'branches.compare_b': { words: 'Compare as B', group: 'Session', icon: 'columns-2' },
  'branches.open': { words: 'Open B', group: 'Session', icon: 'arrow-up-right' },
  'branches.branch': { words: 'Branch from where both part', group: 'Session', icon: 'git-branch' },
  'session.create': { words: 'New session with this agent', group: 'Session', icon: 'plus' },
  'session.pause': { words: 'Pause', group: 'Session', icon: 'pause', keys: 'p' },
  'session.resume': { words: 'Resume', group: 'Session', icon: 'play', keys: 'p' },
  'session.stop': { words: 'Stop the run', group: 'Session', icon: 'square', keys: 'Escape', scope: 'part' },
  'session.archive': { words: 'Archive this session', group: 'Session', icon: 'archive' },
  'session.unarchive': { words: 'Unarchive this session', group: 'Session', icon: 'archive' },
  'session.view': { words: 'Show', group: 'Session', icon: 'columns-2' },
  'session.tab': { words: 'Show in the inspector', group: 'Session', icon: 'list' },
  'session.next_tab': { words: 'Next tab of the inspector', group: 'Session', icon: 'chevron-right', keys: 't' },
  'session.wide': { words: 'Inspector over the whole width, or not', group: 'Session', icon: 'columns-2' },
  'policy.edit': { words: 'Set budgets', group: 'Session', icon: 'sliders-horizontal' },
  'voice.hands_free': { words: 'Talk hands-free, on or off', group: 'Session', icon: 'mic' },
  'voice.end': { words: 'End the voice', group: 'Session', icon: 'x' },

  'past.previous': { words: 'Previous event', group: 'Time', icon: 'chevron-left', keys: '[', repeats: true },
  'past.next': { words: 'Next event', group: 'Time', icon: 'chevron-right', keys: ']', repeats: true },
  'past.previous_checkpoint': { words: 'Checkpoint before', group: 'Time', icon: 'flag', keys: '{' },
  'past.next_checkpoint': { words: 'Checkpoint after', group: 'Time', icon: 'flag', keys: '}' },
  'past.play': { words: 'Play, or pause', group: 'Time', icon: 'play', keys: 'Space', scope: 'part' },
  'past.branch': { words: 'Branch at the event that is shown', group: 'Time', icon: 'git-branch', keys: 'b' },
  'past.send': { words: 'Branch and send', group: 'Time', icon: 'git-branch', keys: 'Ctrl+Enter', scope: 'part' },
  'past.leave': { words: 'Back to live', group: 'Time', icon: 'radio', keys: 'Escape' },

  'debug.follow': { words: 'Follow the log, or not', group: 'Debug', icon: 'radio' },
  'debug.download': { words: 'Download the log as JSON lines', group: 'Debug', icon: 'download' },
  'debug.branch': { words: 'Branch from the selected event', group: 'Debug', icon: 'git-branch' },
  'debug.copy_json': { words: 'Selected event as JSON', group: 'Copy', icon: 'copy' },
  'debug.copy_path': { words: 'Path of the selected value', group: 'Copy', icon: 'copy' },
  'debug.copy_link': { words: 'Link to the selected event', group: 'Copy', icon: 'link' },
  'debug.copy_curl': { words: 'Selected event as curl', group: 'Copy', icon: 'terminal' },

  'approval.approve': { words: 'Approve', group: 'Approvals', icon: 'check', keys: 'a', scope: 'part' },
  'approval.edit': { words: 'Edit, then approve', group: 'Approvals', icon: 'pencil', keys: 'e', scope: 'part' },
  'approval.deny': { words: 'Deny', group: 'Approvals', icon: 'x', keys: 'd', scope: 'part' },
  'approval.discard': { words: 'Discard edits', group: 'Approvals', icon: 'x', keys: 'Escape', scope: 'part' },
  'approval.pause': { words: 'Approve and pause', group: 'Approvals', icon: 'circle-pause' },
  'question.answer': { words: 'Answer', group: 'Approvals', icon: 'send', keys: 'Enter', scope: 'part' },
  'question.select': { words: 'Select an option', group: 'Approvals', icon: 'check', keys: '1–9', scope: 'part' },
  'question.none': { words: 'Select none', group: 'Approvals', icon: 'minus', keys: '0', scope: 'part' },
  'question.decline': { words: 'Decline', group: 'Approvals', icon: 'x', keys: 'd', scope: 'part' },
  'memory.accept': { words: 'Remember what the agent proposes', group: 'Approvals', icon: 'brain' },
  'memory.reject': { words: 'Reject what the agent proposes to remember', group: 'Approvals', icon: 'brain' },

  'copy.link': { words: 'Link to what is shown', group: 'Copy', icon: 'link' },
  'copy.curl': { words: 'as curl', group: 'Copy', icon: 'terminal' },
  'copy.command': { words: 'as bridle command', group: 'Copy', icon: 'terminal' },
} as const satisfies { readonly [id: string]: ActionRow }

export type ActionId = keyof typeof actionTable

export const ACTION_IDS = Object.keys(actionTable) as readonly ActionId[]

export const actionRow = (id: ActionId): ActionRow => actionTable[id]

/** The key on a button: `B`, `Ctrl+Enter`. */
export const keyHintOf = (id: ActionId): string => {
  const { keys } = actionRow(id)
  if (keys === undefined) throw new Error(`The action ${id} has no keys.`)
  return keys.replace('Escape', 'Esc')
}

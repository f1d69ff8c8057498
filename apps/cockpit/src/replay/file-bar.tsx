// The bar of a replay: the file, its sessions, and the way to another file.
import type { ExportContent } from 'bridle/history'
import { plural } from 'bridle/words'
import { useSearchParams } from 'wouter'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { listedSessions } from './lineage.ts'
import { closeReplayFile } from './replay-file.ts'

/** Sessions of a file that are listed by name; a file with more is one of a program. */
const LISTED_SESSIONS = 500

interface FileBarProps {
  readonly content: ExportContent
  readonly chosen: ExportContent['sessions'][number]
  readonly name: string
}

/** Another session has other events, and the same tabs. */
const chosenQuery = (before: URLSearchParams, { id, agent }: { readonly id: string; readonly agent: string }) => {
  const query = new URLSearchParams(before)
  for (const name of ['at', 'call', 'event']) query.delete(name)
  query.set('session', id)
  query.set('agent', agent)
  return query
}

export const FileBar = ({ content, chosen, name }: FileBarProps) => {
  const [, setQuery] = useSearchParams()
  const listed = listedSessions(content).slice(0, LISTED_SESSIONS)
  return (
    <div className="file-bar">
      <Icon name="upload" size={14} />
      <span className="trunc">
        <b className="medium">{visibleText(name)}</b>{' '}
        <span className="t3">{plural(content.sessions.length, 'session')}, read only, nothing leaves this browser</span>
      </span>
      <span className="right row">
        {listed.length > 1 && (
          <select
            aria-label="Session of the file"
            value={chosen.line}
            onChange={(event) => {
              const session = content.sessions.find(({ line }) => String(line) === event.target.value)?.session
              if (session) setQuery((before) => chosenQuery(before, session))
            }}
          >
            {listed.map(({ file: { session, entries, line }, depth }) => (
              <option key={line} value={line}>
                {`${'\u00a0\u00a0'.repeat(depth)}${visibleText(session.id)} · ${visibleText(session.agent)} · ${plural(entries.length, 'event')}${session.parent ? `, branch at ${session.parent.seq}` : ''}`}
              </option>
            ))}
          </select>
        )}
        <Button look="ghost" onClick={closeReplayFile}>
          Close the file
        </Button>
      </span>
    </div>
  )
}

import { bytesText, plural } from 'bridle/words'
import { useMemo } from 'react'
import { ImportedPrompts } from '../imported/imported-prompts.tsx'
import { FileDrop } from '../replay/file-drop.tsx'
import type { OpenFile } from '../replay/replay-file.ts'
import { Icon } from '../ui/icon.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { type Change, importChanges } from './changes.ts'
import { type FileCounts, fileFacts } from './file-facts.ts'
import { hiddenPrompts } from './hidden-prompts.ts'
import { ImportChoice } from './import-choice.tsx'
import { useImport } from './use-import.ts'

/** A file that is open: everything that a person reads before an import. */
export const ImportFile = ({ open }: { readonly open: OpenFile }) => {
  const { name, file, content } = open
  const facts = useMemo(() => fileFacts(content), [content])
  const hidden = useMemo(() => hiddenPrompts(facts.prompts), [facts])
  const agents = useMemo(() => [...new Set(content.sessions.map(({ session }) => session.agent))], [content])
  const state = useImport(open)
  const { problem, receipt } = state
  const { counts } = facts
  return (
    <div className="import-page">
      <FileDrop
        look="row"
        label="Export file to import"
        icon="upload"
        isDisabled={state.isBusy}
        button={
          <span>
            Choose another<span className="no-phone"> file</span>
          </span>
        }
      >
        <div className="col grow">
          <span className="medium import-name">{visibleText(name)}</span>
          <span className="small t2">
            {bytesText(file.size)} · {plural(counts.events, 'event')} · {plural(counts.sessions, 'session')} ·{' '}
            <span title="Its digest shows damage, not who wrote it.">not signed</span>
          </span>
        </div>
      </FileDrop>
      {problem && (
        <p className="row import-note bad" role="alert">
          <Icon name="circle-x" size={16} />
          <span>
            <b className="medium">The server does not take this file.</b>{' '}
            <span className="t2">{visibleText(problem.text)}</span>
          </span>
        </p>
      )}
      <p className="row import-note">
        <Icon name="triangle-alert" size={16} />
        <span>
          <b className="medium">Anyone can write such a file.</b>{' '}
          <span className="t2">Read the prompts before you import. Nothing runs until you send a new prompt.</span>
        </span>
      </p>
      <div className="import-columns">
        <div className="col import-parts">
          <ImportedPrompts
            prompts={facts.prompts}
            note={
              hidden > 0 && (
                <span className="row small warn right">
                  <Icon name="triangle-alert" size={14} />
                  {hidden} with hidden characters or long gaps
                </span>
              )
            }
          />
          <Changes changes={importChanges(facts, receipt)} />
          <Contents counts={counts} prompts={facts.prompts.length} />
        </div>
        <ImportChoice facts={facts} agents={agents} state={state} />
      </div>
    </div>
  )
}

const Changes = ({ changes }: { readonly changes: readonly Change[] }) =>
  changes.length > 0 && (
    <section className="panel-c" aria-label="Dropped or changed">
      <header className="row">
        <h2>Dropped or changed</h2>
      </header>
      <table className="tbl dense import-changes">
        <tbody>
          {changes.map(({ what, claimed, becomes }) => (
            <tr key={what}>
              <th scope="row">{what}</th>
              <td className="mono t2">{visibleText(claimed)}</td>
              <td className="t2">{becomes}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )

const Contents = ({ counts, prompts }: { readonly counts: FileCounts; readonly prompts: number }) => {
  const { sessions, answers, calls, approvals, checkpoints, artifacts, artifactBytes } = counts
  const rows: readonly (readonly [word: string, count: number])[] = [
    ['Sessions', sessions],
    ['Prompts', prompts],
    ['Answers', answers],
    ['Tool calls', calls],
    ['Approvals', approvals],
    ['Checkpoints', checkpoints],
  ]
  return (
    <section className="panel-c" aria-label="Contents">
      <header className="row">
        <h2>Contents</h2>
        <span className="small t2 num">{plural(counts.events, 'event')}</span>
      </header>
      <dl className="import-counts">
        {rows.map(([word, count]) => (
          <div key={word}>
            <dt className="small t2">{word}</dt>
            <dd className="medium num">{count}</dd>
          </div>
        ))}
        <div>
          <dt className="small t2">Artifacts</dt>
          <dd className="medium num">
            {artifacts}
            {artifacts > 0 && `, ${bytesText(artifactBytes)}`}
          </dd>
        </div>
      </dl>
    </section>
  )
}

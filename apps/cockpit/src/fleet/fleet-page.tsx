// The health of all sessions, worst first.

import { plural } from 'bridle/words'
import { useMemo } from 'react'
import { Link, useSearchParams } from 'wouter'
import { rowKey } from '../sessions/list/row-order.ts'
import { useSessionList } from '../sessions/list/use-session-list.ts'
import { SessionStatus } from '../sessions/session-status.tsx'
import { sessionPath } from '../shell/paths.ts'
import { TopBar } from '../shell/top-bar.tsx'
import { Button } from '../ui/button.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { Screen } from '../ui/screen.tsx'
import { titleText } from '../ui/script-text.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { FleetCard } from './fleet-card.tsx'
import { flagCounts, needsLook, worstFirst } from './worst-first.ts'
import './fleet.css'

/** Cards that load their reasons by themselves: a screen shows no more. */
const OPEN_CARDS = 8

const FleetPage = () => {
  const [params, setParams] = useSearchParams()
  const flag = params.get('flag') ?? ''
  const list = useSessionList('fleet', null)
  const rows = useMemo(() => worstFirst(list.rows), [list.rows])
  const flags = useMemo(() => flagCounts(rows), [rows])
  const shown = flag === '' ? rows : rows.filter(({ health }) => health?.flags.includes(flag))
  const bad = shown.filter(needsLook)
  const fine = shown.filter((row) => !needsLook(row))
  return (
    <>
      <TopBar>
        <h1>Health</h1>
      </TopBar>
      <div className="page">
        <fieldset className="tools-bar fleet-flags">
          <legend className="vh">Filter by flag</legend>
          <FlagChip word={plural(rows.length, 'session')} isOn={flag === ''} onClick={() => setParams({})} />
          {flags.map(([each, count]) => (
            <FlagChip
              key={each}
              word={`${count} ${each}`}
              isOn={flag === each}
              onClick={() => setParams(flag === each ? {} : { flag: each })}
            />
          ))}
          {flag !== '' && !flags.some(([each]) => each === flag) && (
            <FlagChip word={`0 ${flag}`} isOn onClick={() => setParams({})} />
          )}
          <span className="right small t3 no-phone">worst first</span>
        </fieldset>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls must be reachable by key */}
        <section className="list scroll" aria-label="Sessions by health" tabIndex={0}>
          {!list.isLoaded && <Skeleton rows={6} />}
          <ul>
            {bad.map((row, at) => (
              <FleetCard key={rowKey(row)} row={row} isOpen={at < OPEN_CARDS} isWorst={at === 0} />
            ))}
          </ul>
          {list.isLoaded && bad.length === 0 && (
            <Screen icon="circle-check" title={rows.length === 0 ? 'No sessions yet' : 'Nothing needs a look'}>
              <p>
                {flag === ''
                  ? 'No session lost points, raised a flag or is near a budget.'
                  : `No session has the flag ${flag} now.`}
              </p>
            </Screen>
          )}
          {fine.length > 0 && (
            <details className="fleet-fine">
              <summary>{plural(fine.length, 'session needs no look', 'sessions need no look')}</summary>
              <ul>
                {fine.map((row) => (
                  <li key={rowKey(row)} className="row">
                    <span className="num medium">{row.health?.score ?? '–'}</span>
                    <SessionStatus row={row} />
                    <Link className="trunc" href={sessionPath(row, { tab: 'health' })}>
                      {visibleText(titleText(row))}
                    </Link>
                  </li>
                ))}
              </ul>
            </details>
          )}
          {list.hasMore && (
            <div className="list-more">
              <Button onClick={list.loadMore}>Load more</Button>
            </div>
          )}
        </section>
      </div>
    </>
  )
}

interface FlagChipProps {
  readonly word: string
  readonly isOn: boolean
  readonly onClick: () => void
}

const FlagChip = ({ word, isOn, onClick }: FlagChipProps) => (
  <button type="button" className={`chip${isOn ? ' on' : ''}`} aria-pressed={isOn} onClick={onClick}>
    {word}
  </button>
)

export default FleetPage

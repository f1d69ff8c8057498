// The right column of a session: its timeline, its health, what its agent knows, and its work.
import type { ReactNode } from 'react'
import { useAction, useActionList } from '../../actions/use-action.ts'
import { IconButton } from '../../ui/button.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useIsPhone } from '../../ui/use-is-phone.ts'
import { WorkTab } from '../background/work-tab.tsx'
import { BranchesTab } from '../branches/branches-tab.tsx'
import { HealthTab } from '../health/health-tab.tsx'
import { useSession } from '../session-context.tsx'
import { ContextTab } from './context/context-tab.tsx'
import { TimelineTab } from './timeline/timeline-tab.tsx'
import { INSPECTOR_TABS, type InspectorTab, useSelection } from './use-selection.ts'
import './inspector.css'

export const Inspector = () => {
  const { isWide, select } = useSelection()
  useAction('session.wide', () => select({ wide: isWide ? null : '1' }))
  // A phone has the same content in a sheet.
  if (useIsPhone() && !isWide) return null
  return (
    <aside className={isWide ? 'insp wide' : 'insp'} aria-label="Inspector">
      <InspectorBody>
        <IconButton
          name={isWide ? 'chevron-right' : 'columns-2'}
          label={isWide ? 'Back to the conversation' : 'Use the whole width'}
          onClick={() => select({ wide: isWide ? null : '1' })}
        />
      </InspectorBody>
    </aside>
  )
}

const panels: { readonly [tab in InspectorTab]: () => ReactNode } = {
  timeline: TimelineTab,
  health: HealthTab,
  branches: BranchesTab,
  context: ContextTab,
  work: WorkTab,
}

/** The tabs and their panel without a frame: a phone shows them in a sheet. */
export const InspectorBody = ({ children }: { readonly children?: ReactNode }) => {
  const { tab, select } = useSelection()
  const { detail } = useSession()
  const next = INSPECTOR_TABS[(INSPECTOR_TABS.indexOf(tab) + 1) % INSPECTOR_TABS.length] ?? tab
  useAction('session.next_tab', () => select({ tab: next }))
  useActionList(
    'session.tab',
    INSPECTOR_TABS.filter((each) => each !== tab).map((each) => ({
      words: `Show ${each} in the inspector`,
      run: () => select({ tab: each }),
    })),
  )
  const Panel = panels[tab]
  return (
    <>
      <div className="insp-tabs row">
        <Tabs
          label="Inspector"
          selected={tab}
          onSelect={(id) => select({ tab: id as InspectorTab })}
          tabs={[
            { id: 'timeline', label: 'Timeline' },
            {
              id: 'health',
              label: (
                <>
                  Health <span className="num t3">{detail.health.score}</span>
                </>
              ),
            },
            { id: 'branches', label: 'Branches' },
            {
              id: 'context',
              label: (
                <>
                  Context{' '}
                  {detail.memory_proposals.length > 0 && (
                    <span className="num warn" title="Proposals for the memory that wait for you">
                      {detail.memory_proposals.length}
                    </span>
                  )}
                </>
              ),
            },
            { id: 'work', label: 'Work' },
          ]}
        />
        {children}
      </div>
      <div
        className="insp-panel"
        role="tabpanel"
        id={`panel-${tab}`}
        aria-labelledby={`tab-${tab}`}
        key={tab}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a panel that scrolls must be reachable with the keyboard
        tabIndex={0}
      >
        <Panel />
      </div>
    </>
  )
}

import type { SessionRow } from 'bridle/client'
import { useAction } from '../../actions/use-action.ts'
import { useServer } from '../../server/server-context.tsx'
import { CANNOT_OPERATE, useCan } from '../../server/use-can.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import type { IconName } from '../../ui/icon-names.ts'
import { announceAct } from './pending-acts.ts'
import { actWords, applicable, type SessionAct, statusCounts } from './session-acts.ts'

const icons: { readonly [act in SessionAct]?: IconName } = { pause: 'pause', resume: 'play', archive: 'archive' }

interface BulkBarProps {
  readonly rows: readonly SessionRow[]
  readonly onClear: () => void
}

/** The acts upon the selection; each says to how many it applies. */
export const BulkBar = ({ rows, onClear }: BulkBarProps) => {
  const { client } = useServer()
  const canOperate = useCan('operate')
  const offer = (act: SessionAct): (() => void) | null => {
    const found = applicable(act, rows)
    if (found.length === 0 || !canOperate) return null
    return () => {
      announceAct(client, act, found)
      onClear()
    }
  }
  useAction('list.pause', offer('pause'))
  useAction('list.resume', offer('resume'))
  useAction('list.cancel', offer('cancel'))
  useAction('list.archive', offer('archive'))
  useAction('list.unarchive', offer('unarchive'))
  if (rows.length === 0) return null
  const isArchive = rows.every(({ archived }) => archived === true)
  const acts: readonly SessionAct[] = ['pause', 'resume', 'cancel', isArchive ? 'unarchive' : 'archive']
  return (
    <div className="bulk" role="toolbar" aria-label={`${rows.length} selected`}>
      <span className="medium num">{rows.length} selected</span>
      <span className="t3 small bulk-counts trunc">{statusCounts(rows)}</span>
      {acts.map((act) => {
        const found = applicable(act, rows)
        const icon = icons[act]
        return (
          <Button
            key={act}
            look={act === 'cancel' ? 'no' : 'plain'}
            {...(icon && { icon })}
            isDisabled={found.length === 0 || !canOperate}
            {...(!canOperate && { title: CANNOT_OPERATE })}
            onClick={() => offer(act)?.()}
          >
            {actWords[act].verb}
            {found.length > 0 && ` ${found.length}`}
          </Button>
        )
      })}
      <IconButton name="x" label="Clear selection" onClick={onClear} />
    </div>
  )
}

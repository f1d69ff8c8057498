// Search or run: one field for every action, event, approval, session and agent.
import { type KeyboardEvent, useEffect, useId, useMemo, useState, useSyncExternalStore } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { useLive, useServer } from '../../server/server-context.tsx'
import { useLoaded } from '../../server/use-loaded.ts'
import { pathPart } from '../../shell/paths.ts'
import { Icon } from '../../ui/icon.tsx'
import { KeyCaps } from '../../ui/kbd.tsx'
import { useModal } from '../../ui/use-modal.ts'
import { offeredActions, subscribeActions } from '../action-store.ts'
import { keyText } from '../key-text.ts'
import { PaletteFoot } from './palette-foot.tsx'
import { type PageSession, paletteGroups } from './palette-groups.ts'
import { type FoundItem, findItems, markedPieces } from './palette-item.ts'
import { useFoundSessions } from './use-found-sessions.ts'
import './palette.css'

const Palette = ({ onClose }: { readonly onClose: () => void }) => {
  const { dialog, close, onDialogClose } = useModal(onClose)
  const [query, setQuery] = useState('')
  const here = usePageSession()
  const [isHere, setHere] = useState(here !== null)
  const [selected, setSelected] = useState(0)
  const groups = useGroups(query, here, isHere)
  const items = groups.flatMap((group) => group.items)
  const at = Math.min(selected, items.length - 1)
  const list = useId()
  const optionId = (place: number): string => `${list}-${place}`
  useEffect(() => {
    document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [list, at])
  const run = (item: FoundItem | undefined): void => {
    if (!item) return
    // The focus is back where it was before the action looks at it.
    close()
    item.run()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const act: (() => void) | undefined = {
      ArrowDown: () => setSelected((at + 1) % Math.max(1, items.length)),
      ArrowUp: () => setSelected((at - 1 + items.length) % Math.max(1, items.length)),
      Enter: () => run(items[at]),
      'Ctrl+k': close,
      ...(here && { Tab: () => setHere(!isHere) }),
    }[keyText(event)]
    if (!act || event.nativeEvent.isComposing) return
    event.preventDefault()
    act()
  }
  let place = -1
  return (
    <dialog ref={dialog} className="dialog palette" aria-label="Search or run" onClose={onDialogClose}>
      <div className="palette-q">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Search or run"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={items.length > 0 ? optionId(at) : undefined}
          placeholder="Search, or say what to do"
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setSelected(0)
          }}
          onKeyDown={onKeyDown}
        />
        {here && <span className="tag">{isHere ? 'in this session' : 'in all sessions'}</span>}
      </div>
      <div className="palette-list scroll" id={list} role="listbox" aria-label="Results" tabIndex={-1}>
        {groups.map(({ title, items: rows }) => (
          // biome-ignore lint/a11y/useSemanticElements: an optgroup belongs to a select
          <div key={title} role="group" aria-label={title}>
            <div className="palette-h" aria-hidden="true">
              {title}
            </div>
            {rows.map((item) => {
              place += 1
              const own = place
              return (
                <PaletteRow
                  key={item.key}
                  id={optionId(own)}
                  item={item}
                  isSelected={own === at}
                  onPoint={() => setSelected(own)}
                  onRun={() => run(item)}
                />
              )
            })}
          </div>
        ))}
        {items.length === 0 && (
          <p className="palette-none t3">
            Nothing fits{isHere ? ' in this session. Tab searches all sessions.' : '. Try fewer letters.'}
          </p>
        )}
      </div>
      <PaletteFoot isHere={isHere} hasSession={here !== null} />
    </dialog>
  )
}

interface PaletteRowProps {
  readonly id: string
  readonly item: FoundItem
  readonly isSelected: boolean
  readonly onPoint: () => void
  readonly onRun: () => void
}

const PaletteRow = ({ id, item, isSelected, onPoint, onRun }: PaletteRowProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and the keys
  // biome-ignore lint/a11y/useFocusableInteractive: the field names the selected row
  <div
    id={id}
    data-action={item.action}
    className={`palette-row${isSelected ? ' on' : ''}`}
    role="option"
    aria-selected={isSelected}
    onPointerMove={onPoint}
    onClick={onRun}
  >
    <Icon name={item.icon} />
    <span className="trunc">
      <Marked text={item.words} from={0} ranges={item.ranges} />
      {item.detail !== undefined && (
        <span className="t3 palette-detail">
          <Marked text={item.detail} from={item.words.length + 1} ranges={item.ranges} />
        </span>
      )}
    </span>
    <span className="right row t3 small nowrap">
      {item.side}
      {item.keys !== undefined && <KeyCaps keys={item.keys} />}
    </span>
  </div>
)

const Marked = ({
  text,
  from,
  ranges,
}: {
  readonly text: string
  readonly from: number
  readonly ranges: FoundItem['ranges']
}) =>
  markedPieces(text, from, ranges).map(({ text: piece, isMarked }, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of text have their place alone
    isMarked ? <mark key={at}>{piece}</mark> : <span key={at}>{piece}</span>,
  )

const useGroups = (query: string, here: PageSession | null, isHere: boolean) => {
  const { client } = useServer()
  const [, navigate] = useLocation()
  const offered = useSyncExternalStore(subscribeActions, offeredActions)
  const sessions = useFoundSessions(isHere ? null : query)
  const approvals = useLive((state) => state.approvals)
  const { data } = useLoaded('agents', () => client.agents())
  return useMemo(() => {
    const agents = data?.agents ?? []
    const sources = { query, offered, here, isHere, sessions, approvals, agents, navigate }
    return findItems(query, paletteGroups(sources))
  }, [query, offered, here, isHere, sessions, approvals, data, navigate])
}

const usePageSession = (): PageSession | null => {
  const [path] = useLocation()
  const [search] = useSearchParams()
  const agent = search.get('agent')
  return useMemo(
    () => (path.startsWith('/s/') ? { id: pathPart(path.slice('/s/'.length)), agent } : null),
    [path, agent],
  )
}

export default Palette

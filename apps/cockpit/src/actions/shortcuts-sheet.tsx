// The keys of every action, by place.
import { Dialog } from '../ui/dialog.tsx'
import { KeyCaps } from '../ui/kbd.tsx'
import { ScrollBox } from '../ui/scroll-box.tsx'
import { type SheetRow, sheetGroups } from './sheet-groups.ts'
import './shortcuts-sheet.css'

const ShortcutsSheet = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keyboard shortcuts" note="off while you type" look="wide" onClose={onClose}>
    <ScrollBox className="keys-grid" label="Shortcuts">
      {sheetGroups().map(({ title, rows }) => (
        <section key={title}>
          <h3 className="h3">{title}</h3>
          <dl className="keys-list">
            {rows.map((row) => (
              <KeysRow key={row.words} row={row} />
            ))}
          </dl>
        </section>
      ))}
    </ScrollBox>
  </Dialog>
)

const KeysRow = ({ row: { words, keys } }: { readonly row: SheetRow }) => (
  <>
    <dt>
      <KeyCaps keys={keys} isRead />
    </dt>
    <dd>{words}</dd>
  </>
)

export default ShortcutsSheet

// Two hundred tools of a company, as their authors describe them, and forty requests in the words of people who know none of them.
import * as v from 'valibot'
import { type Tool, tool } from '../../tools/tool.ts'

/** Name, description, and the fields of the arguments. */
const TABLE = `
github_create_issue | Creates an issue in a repository. | repository title body labels
github_list_issues | Lists the open issues of a repository, newest first. | repository state
github_close_issue | Closes an issue and leaves a comment. | repository number comment
github_create_pull_request | Opens a pull request from one branch into another. | repository head base title
github_merge_pull_request | Merges a pull request after its checks have passed. | repository number method
github_list_pull_requests | Lists pull requests that wait for a review. | repository state
github_review_pull_request | Submits a review: approve, or request changes. | repository number verdict
github_create_branch | Creates a branch from a commit. | repository name commit
github_delete_branch | Deletes a branch that is merged. | repository name
github_get_file | Returns the content of a file at a commit. | repository path commit
github_commit_file | Commits a changed file to a branch. | repository path content message
github_search_code | Searches source code in all repositories for a text. | query language
github_list_commits | Lists the commits of a branch with their authors. | repository branch
github_create_release | Publishes a release with notes for a tag. | repository tag notes
github_run_workflow | Starts a continuous integration workflow. | repository workflow branch
github_workflow_logs | Returns the logs of a failed workflow run. | repository run
github_add_collaborator | Gives a person access to a repository. | repository user permission
slack_send_message | Sends a message to a channel or to a person. | channel text
slack_list_channels | Lists the channels of the workspace. |
slack_create_channel | Creates a public or private channel. | name private
slack_invite_to_channel | Invites people to a channel. | channel users
slack_search_messages | Searches messages of all channels for words. | query
slack_set_status | Sets your status text and emoji. | text emoji
slack_pin_message | Pins a message in its channel. | channel message
slack_schedule_message | Schedules a message for later. | channel text time
slack_upload_file | Uploads a file into a channel. | channel file
gmail_send_email | Sends an email to one or more recipients. | to subject body cc
gmail_search_email | Searches the mailbox by sender, subject or words. | query
gmail_read_email | Returns one email with its attachments. | id
gmail_reply | Replies to an email in its thread. | id body
gmail_archive | Archives emails, so that they leave the inbox. | ids
gmail_delete_email | Moves an email to the trash. | id
gmail_create_filter | Creates a rule that sorts incoming mail by itself. | from label
gmail_set_vacation_responder | Turns on an automatic out of office answer. | text start end
calendar_create_event | Creates a calendar event with guests. | title start end guests
calendar_list_events | Lists the events of a day or week. | from to
calendar_cancel_event | Cancels an event and tells its guests. | id
calendar_move_event | Moves an event to another time. | id start end
calendar_find_free_time | Finds a time at which several people are free. | people duration
calendar_accept_invitation | Accepts or declines an invitation. | id answer
drive_upload_file | Uploads a file to the shared drive. | folder name content
drive_download_file | Downloads a file from the shared drive. | id
drive_search_files | Searches the shared drive for documents. | query
drive_share_file | Shares a file with a person, to read or to edit. | id person role
drive_create_folder | Creates a folder in the shared drive. | name parent
drive_delete_file | Deletes a file from the shared drive. | id
drive_move_file | Moves a file to another folder. | id folder
docs_create_document | Creates a text document. | title text
docs_append_text | Adds text to the end of a document. | id text
docs_export_pdf | Exports a document as PDF. | id
sheets_create_spreadsheet | Creates a spreadsheet. | title
sheets_read_range | Returns the cells of a range. | id range
sheets_write_range | Writes values into the cells of a range. | id range values
sheets_add_chart | Adds a chart of a range to a sheet. | id range kind
sheets_sort_range | Sorts the rows of a range by a column. | id range column
jira_create_ticket | Creates a ticket in a project. | project summary description
jira_assign_ticket | Assigns a ticket to a person. | ticket person
jira_move_ticket | Moves a ticket to another status, such as done. | ticket status
jira_list_sprint | Lists the tickets of the current sprint. | board
jira_log_work | Logs hours of work on a ticket. | ticket hours
jira_comment_ticket | Comments on a ticket. | ticket text
jira_link_tickets | Links two tickets, as blocks or relates to. | from to kind
confluence_create_page | Creates a wiki page in a space. | space title text
confluence_search_pages | Searches the wiki. | query
confluence_update_page | Replaces the text of a wiki page. | id text
stripe_create_invoice | Creates an invoice for a customer. | customer items due
stripe_send_invoice | Sends an invoice to its customer. | invoice
stripe_refund_payment | Refunds a payment, whole or in part. | payment amount
stripe_list_payments | Lists payments of a period. | from to
stripe_create_subscription | Subscribes a customer to a plan. | customer plan
stripe_cancel_subscription | Cancels a subscription at the end of its period. | subscription
stripe_create_coupon | Creates a discount code. | percent code
stripe_get_balance | Returns the balance of the account. |
stripe_update_card | Replaces the card of a customer. | customer token
crm_find_customer | Finds a customer by name, company or phone number. | query
crm_create_lead | Creates a lead for the sales team. | name company source
crm_update_deal | Changes the stage or the value of a deal. | deal stage value
crm_list_deals | Lists deals by stage with their values. | stage
crm_log_call | Logs a call with a customer and what was said. | customer notes
crm_merge_contacts | Merges two contacts that are the same person. | first second
crm_export_contacts | Exports contacts as a table. | filter
zendesk_list_tickets | Lists support tickets that wait for an answer. | queue
zendesk_reply_ticket | Answers a support ticket. | ticket text
zendesk_escalate_ticket | Escalates a support ticket to the second level. | ticket reason
zendesk_close_ticket | Solves a support ticket. | ticket
zendesk_search_help_center | Searches the articles of the help center. | query
shop_get_order | Returns an order with its items and its state. | order
shop_cancel_order | Cancels an order that is not shipped yet. | order reason
shop_list_orders | Lists the orders of a customer. | customer
shop_update_address | Changes the delivery address of an order. | order address
shop_check_stock | Says how many of a product are in the warehouse. | product
shop_set_price | Sets the price of a product. | product price
shop_create_product | Adds a product to the catalogue. | name price
shop_hide_product | Takes a product out of the catalogue. | product
shop_top_sellers | Lists the products that sold best in a period. | from to
shipping_track_parcel | Says where a parcel is and when it arrives. | tracking
shipping_create_label | Creates a shipping label. | address weight
shipping_schedule_pickup | Orders a courier to collect parcels. | address time
shipping_quote_rate | Says what sending a parcel costs. | weight country
warehouse_move_stock | Moves goods from one warehouse to another. | product from to
warehouse_count_inventory | Starts a count of the inventory. | warehouse
warehouse_reorder | Orders more goods from the supplier. | product quantity
hr_request_vacation | Requests days of vacation. | from to
hr_list_absences | Lists who is absent in a week. | week
hr_get_payslip | Returns the payslip of a month. | month
hr_update_bank_account | Changes the bank account for the salary. | iban
hr_report_sick | Reports that an employee is ill. | from
hr_create_job_posting | Publishes a job posting. | title text
hr_list_candidates | Lists the candidates of a posting. | posting
hr_schedule_interview | Schedules an interview with a candidate. | candidate time
hr_onboard_employee | Starts the onboarding of a new employee. | name start
hr_org_chart | Says who reports to whom. | person
expenses_submit_receipt | Submits a receipt for reimbursement. | image amount
expenses_approve_report | Approves an expense report. | report
expenses_list_reports | Lists expense reports. | state
accounting_book_entry | Books an entry in the ledger. | account amount
accounting_trial_balance | Returns the trial balance of a month. | month
accounting_export_tax | Exports the figures for the tax return. | year
bank_transfer | Transfers money to an account. | iban amount purpose
bank_list_transactions | Lists transactions of an account. | account from to
bank_get_balance | Returns the balance of a bank account. | account
legal_draft_contract | Drafts a contract from a template. | template party
legal_send_for_signature | Sends a contract out for electronic signature. | contract signer
legal_list_contracts | Lists contracts that end soon. | months
aws_list_instances | Lists virtual servers with their state. | region
aws_start_instance | Starts a virtual server. | instance
aws_stop_instance | Stops a virtual server. | instance
aws_reboot_instance | Reboots a virtual server. | instance
aws_create_bucket | Creates a storage bucket. | name
aws_list_buckets | Lists storage buckets and their size. |
aws_put_object | Stores an object in a bucket. | bucket key body
aws_get_cost | Says what the cloud cost in a period. | from to
aws_rotate_key | Rotates an access key. | user
aws_update_dns | Changes a DNS record of a domain. | domain record value
kubernetes_list_pods | Lists pods with their restarts. | namespace
kubernetes_scale | Changes the number of replicas of a deployment. | deployment replicas
kubernetes_rollout | Rolls a deployment out to a new image. | deployment image
kubernetes_rollback | Rolls a deployment back to the version before. | deployment
kubernetes_pod_logs | Returns the logs of a pod. | pod
database_run_query | Runs a read-only SQL query. | sql
database_list_tables | Lists the tables of a database. | database
database_describe_table | Describes the columns of a table. | table
database_backup | Makes a backup of a database. | database
database_restore | Restores a database from a backup. | database backup
monitoring_list_alerts | Lists alerts that fire now. |
monitoring_silence_alert | Silences an alert for a while. | alert minutes
monitoring_get_metric | Returns a metric over time. | metric from to
monitoring_create_dashboard | Creates a dashboard. | title panels
pagerduty_who_is_on_call | Says who is on call. | team
pagerduty_trigger_incident | Opens an incident and wakes the person on call. | title urgency
pagerduty_resolve_incident | Resolves an incident. | incident
security_scan_dependencies | Scans dependencies for known vulnerabilities. | repository
security_list_logins | Lists recent logins of an account, with places. | account
security_reset_password | Resets the password of an account. | account
security_disable_account | Disables the account of a person who has left. | account
security_grant_role | Grants a role to an account. | account role
security_check_url | Checks whether a web address is known for phishing. | url
web_search | Searches the web. | query
web_fetch_page | Fetches a web page as text. | url
web_screenshot | Takes a screenshot of a web page. | url
news_headlines | Returns today's headlines. | topic
weather_forecast | Returns the weather forecast of a place. | place days
maps_directions | Returns the way from one place to another. | from to mode
maps_find_places | Finds places such as cafes nearby. | kind near
travel_search_flights | Searches flights. | from to date
travel_book_flight | Books a flight. | flight passenger
travel_search_hotels | Searches hotels. | city from to
travel_book_hotel | Books a hotel room. | hotel guest
travel_rent_car | Rents a car. | city from to
restaurant_reserve_table | Reserves a table in a restaurant. | restaurant time guests
currency_convert | Converts an amount into another currency. | amount from to
units_convert | Converts a measure into another unit. | value from to
translate_text | Translates a text into another language. | text language
summarize_text | Summarizes a long text. | text sentences
speech_transcribe | Transcribes a recording into text. | audio
speech_synthesize | Reads a text aloud. | text voice
image_generate | Generates an image from a description. | prompt
image_resize | Changes the size of an image. | image width
image_remove_background | Removes the background of a photo. | image
video_cut | Cuts a piece out of a video. | video from to
pdf_merge | Merges several PDF files into one. | files
pdf_extract_text | Extracts the text of a PDF. | file
ocr_read_image | Reads the text in a scanned image. | image
marketing_create_campaign | Creates an email campaign for a list. | list subject
marketing_campaign_report | Says how many people opened and clicked. | campaign
marketing_schedule_post | Schedules a post on social media. | network text time
marketing_list_subscribers | Lists the subscribers of the newsletter. | list
analytics_page_views | Returns the page views of the website. | from to
analytics_conversion_rate | Returns how many visitors buy. | from to
analytics_create_segment | Creates a segment of visitors. | filter
survey_create | Creates a survey. | questions
survey_results | Returns the answers of a survey. | survey
todo_add_item | Adds an item to your list of things to do. | text due
todo_complete_item | Ticks an item off. | item
reminder_set | Sets a reminder. | text time
notes_search | Searches your notes. | query
home_set_light | Turns a light on or off. | room on
home_set_temperature | Sets the heating of a room. | room degrees
home_lock_door | Locks or unlocks the front door. | locked
music_play | Plays a song or a playlist. | query
`

export const manyTools = (): readonly Tool[] =>
  TABLE.trim()
    .split('\n')
    .map((line) => {
      const [name = '', description = '', fields = ''] = line.split('|').map((part) => part.trim())
      const names = fields.split(' ').filter(Boolean)
      const input = v.object(Object.fromEntries(names.map((field) => [field, v.optional(v.string())])))
      return tool({ name, description, input, effect: 'pure', run: () => `${name} is done` })
    })

/** A request, and the tool that does it. */
export const PROMPTS: readonly (readonly [string, string])[] = [
  ['The checkout page crashes on Safari, can you write that up so the devs see it in the repo?', 'github_create_issue'],
  ['Why did the build break last night? I want to see what CI printed.', 'github_workflow_logs'],
  ["Put Maria's changes into main, all checks are green.", 'github_merge_pull_request'],
  ['Where in our source do we still call the old login function?', 'github_search_code'],
  ['Tell the marketing channel that lunch is at noon.', 'slack_send_message'],
  ['I wrote something about the Oslo deal to somebody weeks ago in chat. Dig it up.', 'slack_search_messages'],
  ["I'm away for two weeks, people who write to me should get an automatic answer.", 'gmail_set_vacation_responder'],
  ['Did Klaus ever mail us about the new office lease?', 'gmail_search_email'],
  ['When could Ana, Ben and I all sit down for an hour this week?', 'calendar_find_free_time'],
  ['Push my two o’clock meeting to four.', 'calendar_move_event'],
  ['Let Sofia edit the budget document.', 'drive_share_file'],
  ['I need the proposal as a PDF.', 'docs_export_pdf'],
  ['Draw a bar chart of column C in the spreadsheet.', 'sheets_add_chart'],
  ['I spent three hours on PROJ-12 today, note that down.', 'jira_log_work'],
  ['PROJ-12 is finished, mark it as done.', 'jira_move_ticket'],
  ['How do we do code reviews here? It must be somewhere in the wiki.', 'confluence_search_pages'],
  ['The customer was charged twice, give her the money back.', 'stripe_refund_payment'],
  ['Mr. Okafor no longer wants our monthly plan.', 'stripe_cancel_subscription'],
  ['Make a 20 percent discount code for the fair.', 'stripe_create_coupon'],
  ['We have Jane Smith in the contacts twice, make it one person.', 'crm_merge_contacts'],
  ['How many of the blue mugs do we still have?', 'shop_check_stock'],
  ['She moved: her order should go to a different address.', 'shop_update_address'],
  ['Where is my package? The number is 1Z999.', 'shipping_track_parcel'],
  ['How much would it cost to send 3 kilos to Japan?', 'shipping_quote_rate'],
  ['I want to take the first week of August off.', 'hr_request_vacation'],
  ['Which colleagues are not here next week?', 'hr_list_absences'],
  ['I got a new bank account, my salary should go there.', 'hr_update_bank_account'],
  ["Here is the taxi receipt, I'd like my 23 euros back.", 'expenses_submit_receipt'],
  ['The agreement with Acme is ready, have them sign it electronically.', 'legal_send_for_signature'],
  ['What did we spend on the cloud last month?', 'aws_get_cost'],
  ['The machine i-123 hangs, turn it off and on again.', 'aws_reboot_instance'],
  ['The new version is broken, go back to the previous one.', 'kubernetes_rollback'],
  ['We need more copies of the web deployment, say ten replicas.', 'kubernetes_scale'],
  ['Which columns does the users table have?', 'database_describe_table'],
  ['Who has to get up tonight if something breaks? I mean the person on call.', 'pagerduty_who_is_on_call'],
  [
    'Tom left the company yesterday, he must not be able to log in any more. Shut his account.',
    'security_disable_account',
  ],
  ['Will it rain in Lisbon this weekend?', 'weather_forecast'],
  ['What is 250 dollars in yen?', 'currency_convert'],
  ['Say this in Portuguese: the shop is closed today.', 'translate_text'],
  ['Book us a place for six at Luigi’s, tomorrow at eight.', 'restaurant_reserve_table'],
]

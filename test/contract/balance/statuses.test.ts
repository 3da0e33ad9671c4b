import { readDocument } from '../document.ts'
import { describeProvokedStatuses } from '../provoked-statuses.ts'
import { balanceProvocations } from './provocations.ts'

describeProvokedStatuses(readDocument('balance'), balanceProvocations)

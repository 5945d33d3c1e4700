"""Twenty kinds of things that texts are written about, each with numbers, flags and labels.

They are our own: none follows a domain of the evaluation sets.
"""

# One attribute a line: this is a table, to be read across.
# ruff: noqa: E501

from __future__ import annotations

from steelyard.data.generate.facts import Domain, Flag, Label, Number


def _n(key: str, noun: str, unit: str, low: int, high: int, step: int, *says: str) -> Number:
    return Number(key, noun, unit, low, high, step, says)


def _f(key: str, true: str, false: str, yes: str, no: str) -> Flag:
    return Flag(key, true, false, tuple(yes.split(" | ")), tuple(no.split(" | ")))


def _l(key: str, noun: str, **values: str) -> Label:
    """Each value is "description | sentence"; an underscore in its name stands for a space."""
    pairs = {name.replace("_", " "): text.split(" | ") for name, text in values.items()}
    return Label(key, noun, {name: (text, told) for name, (text, told) in pairs.items()})


DOMAINS: tuple[Domain, ...] = (
    Domain("ferry", "crossing request", (
        _n("vehicle_length", "the vehicle length", "{} cm", 300, 1200, 20, "The vehicle measures {v}.", "They drive something {v} long.", "Length of the vehicle on the deck plan: {v}."),
        _n("passengers", "the number of passengers", "{}", 1, 14, 1, "Travellers: {v}.", "Passengers on board: {v}.", "The headcount is {v}."),
        _n("days_ahead", "the notice given", "{} days", 0, 60, 1, "It was made {v} before departure.", "Departure is {v} away.", "That leaves {v} until sailing."),
        _f("pet", "an animal is travelling along", "no animal is travelling along", "A dog comes too. | They bring a cat in a carrier.", "No pets this time. | Animals: none."),
        _f("fuel_cans", "loose fuel cans are carried", "no loose fuel cans are carried", "Two jerrycans of petrol are strapped to the roof. | Spare fuel is in the boot, in cans.", "There is no fuel outside the tank. | They carry no spare petrol."),
        _l("deck", "the deck asked for", open="The uncovered upper deck | They would like to stand outside, under the sky.", main="The covered vehicle deck | They want the covered deck with the cars.", quiet="The lounge deck without announcements | They ask for the lounge where nobody makes announcements.", low="The deck for tall and heavy loads | They need the deck for heavy loads at the bottom."),
        _l("payer", "the paying party", traveller="The person on board pays | The traveller settles it in person.", employer="A firm pays for its worker | The bill goes to the firm they work for.", council="The island council pays | The island council covers the fare."),
    )),
    Domain("museum loan", "loan file", (
        _n("insured_value", "the insured value", "${}", 1000, 90000, 500, "It is insured for {v}.", "The valuer wrote {v} into the form.", "Cover stands at {v}."),
        _n("loan_weeks", "the length of the loan", "{} weeks", 2, 60, 1, "They want to keep it for {v}.", "The piece would be away {v}.", "Loan period: {v}."),
        _n("humidity", "the humidity in the room", "{}%", 30, 75, 1, "The hygrometer in their gallery reads {v}.", "Humidity over there is {v}.", "They measured {v} humidity."),
        _f("courier", "a courier travels with the piece", "no courier travels with the piece", "One of our staff will ride along. | A courier sits beside the crate.", "The crate goes alone. | Nobody accompanies the transport."),
        _f("cracked", "the piece has a crack", "the piece has no crack", "A fine crack runs along the base. | The conservator found a crack.", "The conservator found it sound. | It is free of cracks."),
        _l("material", "the material", oil_paint="Paint on canvas or wood | It is a canvas in oils.", bronze="Cast metal | It was cast in a foundry, dark metal with a green skin.", paper="Drawings, prints and letters | It is a drawing in pencil on a loose sheet.", glass="Blown or cut glass | It is a blown bowl, transparent and thin.", wood="Carved timber | It was carved from lime wood."),
        _l("borrower", "the kind of borrower", school="A place of teaching | A secondary school would like to show it.", gallery="A commercial art dealer | A dealer who sells art wants it for the shop window.", museum="A public collection | Another public collection has asked.", private="A private person | A private person wants it at home."),
    )),
    Domain("dog boarding", "stay", (
        _n("nights", "the number of nights", "{}", 1, 30, 1, "Nights booked: {v}.", "Nights reserved: {v}.", "Nights away: {v}."),
        _n("weight", "the weight of the dog", "{} kg", 2, 70, 1, "It weighs {v}.", "On our scale: {v}.", "A dog of {v}."),
        _n("age", "the age of the dog", "{} months", 2, 160, 1, "It is {v} old.", "Age according to the passport: {v}."),
        _f("vaccinated", "the vaccinations are up to date", "the vaccinations are not up to date", "All shots are in order. | The vet's booklet shows every vaccination.", "The booster is overdue. | The vaccination booklet has a gap."),
        _f("medicine", "the dog needs medicine", "the dog needs no medicine", "A pill goes into the food each evening. | It is on heart drops.", "It takes nothing. | No pills or drops are needed."),
        _l("temper", "the temper of the dog", shy="Hides from people | It crawls under the bench when people come in.", lively="Needs a lot of running | It never stops running about.", calm="Rests most of the time | Most of the day it sleeps on the mat.", guarding="Defends food and space | It growls when anyone comes near its bowl."),
        _l("pickup", "the way home", owner="The owner comes | The owners will fetch it themselves.", friend="A friend with a letter comes | A friend with a signed letter is coming.", shuttle="Our van brings it home | Our van drives it home."),
    )),
    Domain("allotment garden", "plot application", (
        _n("waiting", "the time on the waiting list", "{} months", 0, 72, 1, "They have been waiting {v}.", "On the list for {v}.", "Waiting time so far: {v}."),
        _n("distance", "the distance from home", "{} km", 0, 30, 1, "They live {v} away.", "From their door to the gate it is {v}."),
        _n("household", "the size of the household", "{}", 1, 8, 1, "Persons at home: {v}.", "Household members: {v}."),
        _f("bees", "bees will be kept", "no bees will be kept", "They intend to set up two hives. | Beekeeping is planned.", "They do not want hives. | There will be no beekeeping."),
        _f("experience", "the applicant has gardened before", "the applicant has never gardened before", "They grew vegetables for years. | They come with garden experience.", "It would be their first garden. | They have never held a spade."),
        _l("use", "the planned use", vegetables="Growing food | They want potatoes, beans and leeks.", flowers="Growing flowers | Dahlias and roses are what they want.", orchard="Growing fruit trees | They would plant apple and pear trees.", play="A place for children | It is meant for the children, with a sandpit."),
        _l("season", "the season of the start", spring="March to May | They would begin in April.", summer="June to August | They would begin in July.", autumn="September to November | They would begin in October.", winter="December to February | They would begin in January."),
    )),
    Domain("theatre hire", "hire enquiry", (
        _n("audience", "the expected audience", "{}", 20, 600, 5, "They expect {v} spectators.", "About the house: {v} seats are needed.", "An audience of {v} is planned."),
        _n("rehearsals", "the number of rehearsal days", "{}", 0, 15, 1, "Rehearsal days wanted: {v}.", "They ask for {v} days to rehearse."),
        _n("budget", "the budget", "${}", 500, 20000, 100, "They can spend {v}.", "The budget is {v}.", "No more money than {v} is there."),
        _f("fire", "open flames are used on stage", "no open flames are used on stage", "A torch burns in act two. | Candles are lit on stage.", "There is no fire in the show. | All lights are electric."),
        _f("subtitles", "subtitles are needed", "subtitles are not needed", "The text must be projected above the stage. | They need surtitles.", "No projection of text is wanted. | They do without surtitles."),
        _l("genre", "the kind of show", dance="Movement without spoken text | Nobody speaks, the performers only move.", comedy="A play to laugh at | It is a play meant to make people laugh.", concert="Music without a plot | A string quartet plays.", lecture="A talk with slides | A speaker shows slides on glaciers.", puppets="Figures on strings or hands | Figures on strings act out a tale."),
        _l("daytime", "the time of day", matinee="Before 15:00 | The curtain rises at 11 in the morning.", evening="From 18:00 | The curtain rises at 19:30.", afternoon="15:00 to 17:59 | The curtain rises at 16:00."),
    )),
    Domain("water sample", "sample", (
        _n("nitrate", "the nitrate reading", "{} mg/l", 0, 90, 1, "Nitrate: {v}.", "The strip showed nitrate at {v}.", "We found {v} of nitrate."),
        _n("temperature", "the temperature of the water", "{} °C", 1, 30, 1, "The water was at {v}.", "Temperature at the tap: {v}."),
        _n("hours", "the time since sampling", "{} hours", 0, 72, 1, "The bottle was filled {v} ago.", "It reached the bench after {v}."),
        _f("sealed", "the bottle arrived sealed", "the bottle arrived open", "The seal was intact. | Nobody had broken the seal.", "The cap was loose. | The seal was broken on arrival."),
        _f("cloudy", "the water is cloudy", "the water is clear", "It looks milky. | One cannot see through it.", "One can read a newspaper through it. | It is perfectly transparent."),
        _l("origin", "the source of the water", well="A private well | It was drawn from a bucket well behind a farmhouse.", river="A flowing surface water | It was scooped from the bank of a stream.", tap="The public network | It came out of a kitchen faucet on the mains.", pool="A swimming pool | It was taken at the deep end, next to the diving board."),
        _l("client", "the client", authority="A public office | The district health office ordered it.", household="A private home | A family ordered it for their home.", brewery="A maker of beer | A maker of beer ordered it."),
    )),
    Domain("bicycle repair", "repair job", (
        _n("estimate", "the estimate", "${}", 10, 600, 5, "The estimate says {v}.", "We reckon with {v}.", "Labour and parts together: {v}."),
        _n("age", "the age of the bicycle", "{} years", 0, 30, 1, "The bicycle is {v} old.", "Bought {v} ago."),
        _n("waiting_jobs", "the number of jobs ahead", "{}", 0, 25, 1, "In the queue before it: {v} jobs.", "Jobs that come first: {v}."),
        _f("electric", "the bicycle has a motor", "the bicycle has no motor", "It has an electric drive. | There is a battery on the frame.", "It is pedal power only. | Neither motor nor battery."),
        _f("warranty", "the warranty still applies", "the warranty has run out", "It is covered by the maker. | The maker still covers it.", "The cover ended last year. | The maker no longer covers it."),
        _l("fault", "the fault", brakes="It does not stop well | Pulling the lever hardly slows it down.", wheel="A rim or spoke is damaged | Two spokes snapped and the rim wobbles.", gears="Shifting fails | The chain jumps when shifting.", lights="Lamp or dynamo fails | The lamp stays dark.", tyre="Air is lost | It goes flat overnight."),
        _l("rider", "the use of the bicycle", commuting="Riding to work | It takes someone to the office every day.", racing="Competing | It is ridden in competitions.", touring="Long holidays | It goes on long holidays with bags.", cargo="Carrying loads | It hauls crates for a shop."),
    )),
    Domain("telescope time", "proposal", (
        _n("hours", "the hours asked for", "{} hours", 1, 80, 1, "They ask for {v}.", "Observing time wanted: {v}."),
        _n("panel_score", "the panel score", "{} points", 0, 100, 1, "The panel gave {v}.", "Panel result: {v}."),
        _n("elevation", "the highest elevation of the target", "{} degrees", 5, 89, 1, "The target climbs to {v}.", "At best it stands {v} above the horizon."),
        _f("student", "a doctoral thesis depends on it", "no thesis depends on it", "A doctoral candidate needs the data. | It is part of a thesis.", "No student is involved. | No thesis is waiting for it."),
        _f("moonless", "a moonless night is required", "moonlight does no harm", "It only works with the moon down. | Dark sky without moon is a must.", "Moonlight is fine. | The moon may shine."),
        _l("target", "the kind of target", comet="A small icy body with a tail | A tail of ice and dust is to be followed.", galaxy="A distant system of stars | It is a spiral of a hundred billion stars.", planet="A world of our own system | The rings of Saturn are to be measured.", supernova="An exploding star | A star that blew up last week is to be watched."),
        _l("instrument", "the instrument", camera="Takes images | They want images.", spectrograph="Splits the light | They want the light split into its colours.", polarimeter="Measures polarisation | They want to know how the light is polarised."),
    )),
    Domain("translation", "translation job", (
        _n("pages", "the number of pages", "{}", 1, 300, 1, "Page count: {v}.", "Pages: {v}."),
        _n("deadline", "the time until delivery", "{} days", 1, 45, 1, "It is due in {v}.", "We have {v} to deliver."),
        _n("rate", "the price per page", "${}", 8, 90, 1, "They pay {v} a page.", "Price agreed per page: {v}."),
        _f("sworn", "a sworn translator is needed", "no sworn translator is needed", "It must bear a sworn stamp. | A court wants it certified.", "No stamp is necessary. | Certification is not asked for."),
        _f("glossary", "the client supplied a word list", "the client supplied no word list", "A glossary came with it. | Their terms are in an attached list.", "No glossary came with it. | Their terms were not sent."),
        _l("field", "the field of the text", medicine="Health and drugs | It explains the dosage of a drug.", law="Contracts and courts | It is a tenancy contract.", cooking="Recipes | It is full of recipes for stews.", engineering="Machines | It tells how to mount a pump.", poetry="Verse | It rhymes, line by line."),
        _l("language", "the language of the original", Dutch="Spoken in the Netherlands and Flanders | The author wrote in the language of the Netherlands.", Greek="Spoken in Greece and Cyprus | The author wrote in the language of Athens.", Finnish="Spoken in Finland | The author wrote in the language of Helsinki.", Korean="Spoken in Korea | The author wrote in the language of Seoul."),
    )),
    Domain("invoice", "invoice", (
        _n("amount", "the amount", "${}", 50, 25000, 50, "It comes to {v}.", "Total due: {v}.", "The sum at the bottom reads {v}."),
        _n("days_late", "the delay of payment", "{} days", 0, 120, 1, "Payment is {v} late.", "It is {v} past the due date."),
        _n("reminders", "the number of reminders", "{}", 0, 6, 1, "Reminders sent so far: {v}.", "Letters asking for the money: {v}."),
        _f("purchase_order", "a purchase order exists", "there is no purchase order", "It matches a purchase order. | A purchase order is attached.", "Nobody can find a purchase order. | It came without a purchase order."),
        _f("disputed", "the customer disputes it", "the customer does not dispute it", "They say that the goods were wrong. | The other side objects to it.", "They accept it in full. | The other side raised no objection."),
        _l("category", "the cost type", rent="Use of rooms | It is for the use of our rooms.", freight="Moving goods | It is for carrying pallets to the port.", repairs="Fixing equipment | It is for mending the conveyor belt.", catering="Food and drink | It is for lunch at the open day.", software="Licences for programs | It is for a year's licence of a drawing program."),
        _l("method", "the way of payment", transfer="From bank to bank | They pay from their bank account to ours.", card="By plastic card | They pay by typing in the digits of a card.", cheque="By a signed slip | They post a signed slip from their bank's booklet.", cash="Notes and coins | They pay in notes at the desk."),
    )),
    Domain("expense claim", "claim", (
        _n("total", "the total", "${}", 5, 3000, 5, "In total {v} was spent.", "The claim adds up to {v}."),
        _n("receipts", "the number of receipts", "{}", 0, 20, 1, "Receipts enclosed: {v}.", "Slips attached: {v}."),
        _n("age", "the age of the claim", "{} days", 0, 150, 1, "The outlay was {v} ago.", "Handed in {v} after the purchase."),
        _f("approved", "the team lead has signed", "the team lead has not signed", "Signed by the team lead. | The lead put a signature on it.", "The lead's signature is missing. | It lacks the signature of the lead."),
        _f("abroad", "the money was spent abroad", "the money was spent at home", "It happened on a trip to another country. | The slips are in a foreign currency.", "Everything was bought within the country. | No border was crossed."),
        _l("purpose", "the purpose", travel="Going somewhere | It was for a train ticket.", meals="Eating | It was for a dinner with a supplier.", training="Learning | It was for a course in welding.", equipment="Buying tools | It was for a drill.", gifts="Presents | It was for flowers to a partner firm."),
        _l("team", "the team", harbour="Works at the quay | The claimant works at the quay.", kitchen="Cooks | The claimant cooks.", workshop="Builds and mends | The claimant builds and mends machines.", office="Writes and counts | The claimant sits at a desk and keeps the books."),
    )),
    Domain("parcel", "return", (
        _n("days_since", "the time since purchase", "{} days", 0, 90, 1, "It was bought {v} ago.", "Purchase was {v} before the return."),
        _n("price", "the price", "${}", 5, 900, 5, "It cost {v}.", "Price paid: {v}."),
        _n("weight", "the weight", "{} kg", 1, 40, 1, "The box weighs {v}.", "On the scale: {v}."),
        _f("opened", "the package has been opened", "the package has not been opened", "The wrapping is torn off. | Someone has unpacked it.", "The film is still around it. | Nobody has unpacked it."),
        _f("receipt", "the receipt is there", "the receipt is missing", "A receipt lies in the box. | They kept the receipt.", "They lost the receipt. | There is no receipt in the box."),
        _l("reason", "the reason", broken="It does not work | It will not switch on.", wrong_size="Too large or too small | It is far too tight.", unwanted="No longer wanted | They have simply changed their mind.", late="It came after the date promised | It turned up a week after the birthday it was for."),
        _l("wish", "the wish of the buyer", refund="Money back | They want their money back.", exchange="Another piece | They want another one in its place.", voucher="Shop credit | They would take credit for the shop."),
    )),
    Domain("software release", "release", (
        _n("failing_tests", "the number of failing tests", "{}", 0, 40, 1, "Tests that fail: {v}.", "Red tests at the end of the run: {v}."),
        _n("coverage", "the coverage", "{}%", 30, 100, 1, "Coverage stands at {v}.", "Lines covered: {v}."),
        _n("open_bugs", "the number of open bugs", "{}", 0, 60, 1, "Open bugs: {v}.", "Bugs in the tracker: {v}."),
        _f("reviewed", "a second engineer has reviewed it", "no second engineer has reviewed it", "Another pair of eyes went over it. | A colleague approved the change.", "Nobody else has read the change. | The review is still to be done."),
        _f("migration", "the database has to be changed", "the database stays as it is", "A migration adds two columns. | Tables must be altered.", "No table is altered. | The schema is untouched."),
        _l("area", "the part that changes", search="Finding things | It changes how results are ranked.", payments="Taking money | It changes how cards are charged.", login="Getting in | It changes how people sign in.", reports="Printing figures | It changes the monthly figures.", mail="Sending messages | It changes how newsletters are sent."),
        _l("kind", "the kind of change", fix="Repairs a fault | It repairs a fault.", feature="Adds an ability | It adds something that users could not do before.", cleanup="Same behaviour, tidier code | It only tidies up, nothing behaves differently.", rollback="Goes back to an earlier version | It goes back to last month's version."),
    )),
    Domain("data request", "request", (
        _n("records", "the number of records", "{}", 1, 5000, 1, "Records it touches: {v}.", "Records concerned: {v}."),
        _n("days_open", "the time it has been open", "{} days", 0, 60, 1, "It has been open for {v}.", "Received {v} ago."),
        _n("systems", "the number of systems", "{}", 1, 12, 1, "Number of systems with the data: {v}.", "Systems to look into: {v}."),
        _f("identity", "the identity has been proved", "the identity has not been proved", "A passport was shown. | We know for certain who is asking.", "No proof of who they are has come. | Who is asking remains unproved."),
        _f("minor", "the person is under age", "the person is of age", "The person is fifteen. | It is about a child.", "The person is an adult. | It is about a woman of forty."),
        _l("right", "the right invoked", copy="A copy of the data | They want to see everything we hold on them.", erasure="Deletion | They want everything about them to vanish.", correction="A change of wrong data | Their birthday is wrong and should be put right.", export="Data in a file for another service | They want a file that they can take to another service."),
        _l("channel", "the way it came in", letter="On paper | It came in an envelope.", form="Through the web form | It came through the web page.", phone="In a call | It came in a call.", counter="In person | They stood at the counter."),
    )),
    Domain("greenhouse", "alarm", (
        _n("temperature", "the temperature", "{} °C", 2, 48, 1, "The air is at {v}.", "Thermometer: {v}."),
        _n("soil_moisture", "the soil moisture", "{}%", 5, 95, 1, "Soil moisture is {v}.", "The probe in the bed shows {v}."),
        _n("plants", "the number of plants", "{}", 10, 4000, 10, "It holds {v} plants.", "Plants concerned: {v}."),
        _f("vent_open", "the roof vents are open", "the roof vents are shut", "The flaps in the roof stand open. | Air comes in from above.", "The flaps in the roof are closed. | Nothing opens above."),
        _f("staff", "someone is on site", "nobody is on site", "A gardener is there. | The gardener on duty answered.", "The place is empty. | No gardener can be reached there."),
        _l("crop", "the crop", tomatoes="Red fruit on vines | Red fruit hang on tall vines.", orchids="Tropical flowers | Tropical flowers stand in pots.", lettuce="Leaves for salad | Rows of salad heads grow in trays.", cacti="Desert plants | Spiny desert plants grow in sand."),
        _l("pest", "the pest", none="Nothing found | Not one insect was found.", aphids="Small green sap suckers | Small green insects suck on the stems.", mites="Tiny spiders | Tiny webs with specks cover the leaves.", mould="A grey fungus | A grey fur covers the leaves."),
    )),
    Domain("scholarship", "application", (
        _n("grade", "the grade", "{} points", 40, 100, 1, "The final grade is {v}.", "School left with {v}."),
        _n("income", "the family income", "${}", 8000, 90000, 1000, "The family lives on {v} a year.", "Income of the family: {v}."),
        _n("siblings", "the number of siblings", "{}", 0, 7, 1, "Siblings: {v}.", "Brothers and sisters: {v}."),
        _f("volunteer", "the applicant does voluntary work", "the applicant does no voluntary work", "On Saturdays they help at the food bank. | They coach children for free.", "No unpaid work is mentioned by them; they do none. | They do not volunteer anywhere."),
        _f("complete", "the papers are complete", "papers are missing", "All papers are there. | Nothing is missing from the folder.", "A certificate is still missing. | The folder lacks a page."),
        _l("subject", "the subject", music="Playing and composing | They want to study composing.", forestry="Trees and woods | They want to study how woods are tended.", nursing="Care of the sick | They want to study the care of the sick.", statistics="Numbers and chance | They want to study chance and data."),
        _l("region", "the region", coast="By the sea | They come from a fishing port.", hills="In the uplands | They come from a village in the uplands.", capital="The largest city | They come from the seat of government.", plains="Flat farmland | They come from flat farmland."),
    )),
    Domain("lift maintenance", "fault report", (
        _n("floors", "the number of floors", "{}", 2, 40, 1, "Storeys: {v}.", "Floors served: {v}."),
        _n("trapped", "the number of people inside", "{}", 0, 9, 1, "People in the cabin: {v}.", "Persons stuck in it: {v}."),
        _n("outage", "the length of the outage", "{} minutes", 1, 600, 1, "It has stood still for {v}.", "Out of order for {v}."),
        _f("second_lift", "another lift works", "no other lift works", "The lift beside it runs. | People use the one next to it.", "It is the only one. | The one next to it is down as well."),
        _f("smoke", "smoke has been seen", "no smoke has been seen", "Smoke comes from the shaft. | Somebody saw smoke.", "There is no smoke. | No sign of smoke anywhere."),
        _l("building", "the kind of building", hospital="Care of the sick | The wards are on the upper floors.", flats="Homes | Families live there.", offices="Desks | People work at desks there.", hotel="Guests for a night | Guests check in downstairs."),
        _l("cause", "the suspected cause", door="The door does not close | The door will not shut.", cable="A cable is worn | A rope looks frayed.", power="No electricity | The electricity is gone.", control="The electronics fail | The control board shows an error."),
    )),
    Domain("blood donation", "visit", (
        _n("pulse", "the pulse", "{} beats", 45, 120, 1, "The pulse is {v} a minute.", "We counted {v} in a minute."),
        _n("weeks_since", "the time since the last donation", "{} weeks", 1, 60, 1, "The last donation was {v} ago.", "It is {v} since they last gave."),
        _n("age", "the age", "{} years", 16, 78, 1, "The donor is {v} old.", "Age: {v}."),
        _f("cold", "the donor has a cold", "the donor is free of colds", "A runny nose is noted. | The donor is sneezing.", "No cough, no runny nose. | The donor feels well."),
        _f("tattoo", "there is a fresh tattoo", "there is no fresh tattoo", "The ink on the arm is a week old. | A new tattoo was mentioned.", "No new ink on the skin. | Fresh tattoos: none."),
        _l("wish", "the kind of donation", whole_blood="The ordinary bag | They give the ordinary bag.", plasma="The clear part | They give only the clear part.", platelets="The clotting part | They give only the part that makes it clot."),
        _l("group", "the blood group", A="Antigen A | The card shows antigen A alone.", B="Antigen B | The card shows antigen B alone.", AB="Both antigens | The card shows both antigens.", O="Neither antigen | The card shows neither antigen."),
    )),
    Domain("film shoot", "permit", (
        _n("crew", "the size of the crew", "{}", 2, 120, 1, "The crew counts {v}.", "People at work on it: {v}."),
        _n("shoot_days", "the number of shooting days", "{}", 1, 30, 1, "They film on {v} days.", "Shooting days: {v}."),
        _n("noise", "the noise level", "{} dB", 40, 110, 1, "Noise will reach {v}.", "The loudest scene has {v}."),
        _f("drone", "a drone is flown", "no drone is flown", "A drone films from above. | Shots from the air are planned.", "Nothing flies. | All cameras stay on the ground."),
        _f("road_closed", "a road has to be closed", "no road has to be closed", "Traffic must be stopped. | The lane will be shut to cars.", "Cars can pass as always. | Traffic is not touched."),
        _l("place", "the place", beach="Sand by the sea | They film on the sand.", market="A square with stalls | They film among the stalls.", forest="Among trees | They film among pines.", station="Where trains stop | They film on a platform."),
        _l("product", "the product", advert="Sells something | It advertises a shampoo.", documentary="Shows real life | It shows the real life of otters.", series="A story in parts | It is the third part of a detective story.", clip="A song with pictures | It goes with a song."),
    )),
    Domain("subscription", "account", (
        _n("seats", "the number of seats", "{}", 1, 250, 1, "Seats in use: {v}.", "People with a login: {v}."),
        _n("months", "the age of the account", "{} months", 0, 96, 1, "They joined {v} ago.", "A customer for {v}."),
        _n("usage", "the usage", "{}%", 0, 100, 1, "They use {v} of what they pay for.", "Usage is at {v}."),
        _f("auto_renew", "the renewal is automatic", "the renewal is not automatic", "It renews by itself. | Nothing has to be done to renew.", "It ends unless they renew by hand. | Automatic renewal is switched off."),
        _f("unpaid", "a bill is unpaid", "all bills are paid", "One bill is open. | They owe for last month.", "They owe nothing. | Every bill has been settled."),
        _l("plan", "the plan", starter="Small and cheap | They are on the smallest plan we sell.", team="For groups | They are on the plan for groups.", campus="For schools | They are on the plan made for schools.", worldwide="For large firms | They are on the plan for firms with sites in many countries."),
        _l("mood", "the mood of the customer", pleased="Praises us | They praised us twice.", neutral="Neither praise nor blame | They wrote without praise or blame.", annoyed="Complains | They complained about slowness.", leaving="Is about to go | They said that they are looking at a competitor."),
    )),
)  # fmt: skip

//! Debug information entries of one object file, with references between its units.

use super::DwarfError;
use gimli::{
    AttributeValue, DebuggingInformationEntry, Dwarf, DwarfSections, EndianSlice, Reader as _,
    RelocateReader, RunTimeEndian, SectionId, Unit, UnitOffset,
};
use object::read::RelocationMap;
use object::{Object, ObjectSection};
use std::borrow::Cow;
use std::path::PathBuf;

/// Reads the bytes of a section as they will be after linking.
pub(super) type Reader<'a> = RelocateReader<EndianSlice<'a, RunTimeEndian>, &'a Relocations>;

#[derive(Default, Debug)]
/// What the linker would add to the bytes of a section.
pub(super) struct Relocations(RelocationMap);

impl gimli::read::Relocate for &Relocations {
    fn relocate_address(&self, offset: usize, value: u64) -> gimli::Result<u64> {
        Ok(self.0.relocate(offset as u64, value))
    }

    fn relocate_offset(&self, offset: usize, value: usize) -> gimli::Result<usize> {
        Ok(self.0.relocate(offset as u64, value as u64) as usize)
    }
}

#[derive(Default, Debug)]
struct Section<'a> {
    bytes: Cow<'a, [u8]>,
    relocations: Relocations,
}

impl<'a> Section<'a> {
    fn load(file: &object::File<'a>, id: SectionId) -> Result<Self, DwarfError> {
        let Some(section) = file.section_by_name(id.name()) else { return Ok(Self::default()) };
        let mut relocations = Relocations::default();
        for (offset, relocation) in section.relocations() {
            // Those the crate cannot apply belong to code addresses and thread-local
            // variables; offsets between debug sections are always plain ones.
            let _ = relocations.0.add(file, offset, relocation);
        }
        Ok(Self { bytes: section.uncompressed_data()?, relocations })
    }
}

/// The debug sections of an object file.
pub(super) struct Sections<'a> {
    sections: DwarfSections<Section<'a>>,
    endian: RunTimeEndian,
}

impl<'a> Sections<'a> {
    /// Finds and decompresses the debug sections.
    pub(super) fn load(object: &'a [u8]) -> Result<Self, DwarfError> {
        let file = object::File::parse(object)?;
        let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let sections = DwarfSections::load(|id| Section::load(&file, id))?;
        Ok(Self { sections, endian })
    }

    /// The compile units described by the sections.
    pub(super) fn units(&self) -> Result<Units<'_>, DwarfError> {
        let dwarf = self.sections.borrow(|section| {
            RelocateReader::new(EndianSlice::new(&section.bytes, self.endian), &section.relocations)
        });
        let mut units = Vec::new();
        let mut headers = dwarf.units();
        while let Some(header) = headers.next()? {
            units.push(dwarf.unit(header)?);
        }
        Ok(Units { dwarf, units })
    }
}

/// Where an entry stands: bitcode linked together refers from one unit into another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Place {
    unit: usize,
    offset: UnitOffset,
}

/// All units of an object file.
pub(super) struct Units<'a> {
    dwarf: Dwarf<Reader<'a>>,
    units: Vec<Unit<Reader<'a>>>,
}

impl<'a> Units<'a> {
    /// The root entry of every unit.
    pub(super) fn roots(&self) -> impl Iterator<Item = Result<Die<'_, 'a>, DwarfError>> {
        (0..self.units.len()).map(|unit| {
            let offset = self.units[unit].header.root_offset();
            self.die(Place { unit, offset })
        })
    }

    /// The entry at a place.
    pub(super) fn die(&self, place: Place) -> Result<Die<'_, 'a>, DwarfError> {
        let entry = self.units[place.unit].entry(place.offset)?;
        Ok(Die { units: self, unit: place.unit, entry })
    }

    fn across_units(&self, offset: gimli::DebugInfoOffset) -> Option<Place> {
        let mut units = self.units.iter().enumerate();
        units.find_map(|(unit, u)| Some(Place { unit, offset: offset.to_unit_offset(&u.header)? }))
    }
}

/// One entry: a type, a function, a variable or a part of one.
pub(super) struct Die<'u, 'a> {
    units: &'u Units<'a>,
    unit: usize,
    entry: DebuggingInformationEntry<Reader<'a>>,
}

impl<'u, 'a> Die<'u, 'a> {
    pub(super) fn tag(&self) -> gimli::DwTag {
        self.entry.tag()
    }

    pub(super) fn has(&self, attribute: gimli::DwAt) -> bool {
        self.entry.has_attr(attribute)
    }

    /// Whether a flag is present and set.
    pub(super) fn flag(&self, attribute: gimli::DwAt) -> bool {
        matches!(self.entry.attr_value(attribute), Some(AttributeValue::Flag(true)))
    }

    /// The attribute as the compiler wrote it.
    pub(super) fn value(&self, attribute: gimli::DwAt) -> Option<AttributeValue<Reader<'a>>> {
        self.entry.attr_value(attribute)
    }

    /// A constant that is not negative; `None` also for one only known at run time.
    pub(super) fn unsigned(&self, attribute: gimli::DwAt) -> Option<u64> {
        self.value(attribute)?.udata_value()
    }

    pub(super) fn name(&self) -> Result<Option<String>, DwarfError> {
        self.string(gimli::DW_AT_name)
    }

    pub(super) fn string(&self, attribute: gimli::DwAt) -> Result<Option<String>, DwarfError> {
        self.value(attribute).map(|value| self.text(value)).transpose()
    }

    fn text(&self, value: AttributeValue<Reader<'a>>) -> Result<String, DwarfError> {
        let text = self.units.dwarf.attr_string(self.unit(), value)?;
        Ok(text.to_string_lossy()?.into_owned())
    }

    fn unit(&self) -> &'u Unit<Reader<'a>> {
        &self.units.units[self.unit]
    }

    /// The entry an attribute refers to.
    pub(super) fn reference(&self, attribute: gimli::DwAt) -> Result<Option<Place>, DwarfError> {
        let place = match self.value(attribute) {
            None => return Ok(None),
            Some(AttributeValue::UnitRef(offset)) => Some(Place { unit: self.unit, offset }),
            Some(AttributeValue::DebugInfoRef(offset)) => self.units.across_units(offset),
            Some(_) => None,
        };
        place.map(Some).ok_or_else(|| self.malformed("reference"))
    }

    /// The entry an attribute refers to, read.
    pub(super) fn follow(&self, attribute: gimli::DwAt) -> Result<Option<Die<'u, 'a>>, DwarfError> {
        self.reference(attribute)?.map(|place| self.units.die(place)).transpose()
    }

    /// The type of a variable, member, parameter or derived type; `None` is `void`.
    pub(super) fn type_place(&self) -> Result<Option<Place>, DwarfError> {
        self.reference(gimli::DW_AT_type)
    }

    /// The entries directly below this one.
    pub(super) fn children(&self) -> Result<Vec<Die<'u, 'a>>, DwarfError> {
        let mut tree = self.unit().entries_tree(Some(self.entry.offset()))?;
        let mut nodes = tree.root()?.children();
        let mut children = Vec::new();
        while let Some(node) = nodes.next()? {
            children.push(Die { units: self.units, unit: self.unit, entry: node.entry().clone() });
        }
        Ok(children)
    }

    /// The file of the declaration, absolute if the compiler said where it ran.
    pub(super) fn file(&self) -> Result<Option<String>, DwarfError> {
        let Some(AttributeValue::FileIndex(index)) = self.value(gimli::DW_AT_decl_file) else {
            return Ok(None);
        };
        let unit = self.unit();
        let Some(header) = unit.line_program.as_ref().map(|program| program.header()) else {
            return Ok(None);
        };
        let Some(file) = header.file(index) else { return Err(self.malformed("file")) };
        let mut path = PathBuf::new();
        if let Some(directory) = &unit.comp_dir {
            path.push(&*directory.to_string_lossy()?);
        }
        if let Some(directory) = file.directory(header) {
            path.push(self.text(directory)?);
        }
        path.push(self.text(file.path_name())?);
        // Taking the components apart drops the `.` of `./a.c`.
        let path: PathBuf = path.components().collect();
        Ok(Some(path.to_string_lossy().into_owned()))
    }

    /// The error that something in this entry is missing or makes no sense.
    pub(super) fn malformed(&self, what: &'static str) -> DwarfError {
        DwarfError::Malformed { what, offset: self.entry.offset().0 }
    }
}
